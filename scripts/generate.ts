import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '../server/test/test-database.ts';
import { configurationTable } from './generate/configuration-table.ts';
import { consoleRoles } from './generate/console-roles.ts';
import { generateDatabaseTypes } from './generate/database-types.ts';
import { errorsPage } from './generate/errors-page.ts';
import { limitsTable } from './generate/limits-table.ts';
import { generateOpenapi } from './generate/openapi.ts';
import { rolesPage } from './generate/roles-page.ts';
import { describeTables, tablesFolder } from './generate/schema-tables.ts';
import { generateSdkTypes } from './generate/sdk-types.ts';

/**
 * `npm run generate [-- --check]`: writes the generated files, or reports the outdated ones with `--check`. These are the
 * row types and server/schema/tables (from the migrated database), the OpenAPI document (from the routes), the table of docs/configuration.md (from the
 * configuration), docs/errors.md (from the reasons of errors), and docs/roles.md, the table of roles of the console, the types of the SDK and the tables of
 * docs/limits.md (from the OpenAPI document).
 */
async function generate(check: boolean): Promise<boolean> {
  const database = await createTestDatabase();
  try {
    const described = await describeTables(database.url);
    const gone = (await readdir(tablesFolder)).filter((file) => !described.has(file));
    const files = [
      ...[...described].map(([file, text]) => ({ path: join(tablesFolder, file), make: () => text })),
      ...gone.map((file) => ({ path: join(tablesFolder, file), make: () => null })),
      {
        path: 'server/src/platform/database/schema.generated.ts',
        make: () => generateDatabaseTypes(database.url),
      },
      { path: 'openapi.json', make: () => generateOpenapi(database.url) },
      { path: 'docs/configuration.md', make: configurationTable },
      { path: 'docs/errors.md', make: errorsPage },
      { path: 'docs/roles.md', make: async () => rolesPage(await readFile('openapi.json', 'utf8')) },
      {
        path: 'sdk/src/api.generated.ts',
        make: async () => generateSdkTypes(await readFile('openapi.json', 'utf8')),
      },
      {
        path: 'console/src/app/roles.generated.ts',
        make: async () => consoleRoles(await readFile('openapi.json', 'utf8')),
      },
      {
        path: 'docs/limits.md',
        make: async (page: string) => limitsTable(page, await readFile('openapi.json', 'utf8')),
      },
    ];
    let current = true;
    for (const { path, make } of files) {
      const before = await readFile(path, 'utf8').catch(() => '');
      const after = await make(before);
      if (before === after) continue;
      current = false;
      if (!check) await (after === null ? rm(path) : writeFile(path, after));
      process.stdout.write(
        check
          ? `${path} is out of date: run npm run generate\n`
          : `${after === null ? 'removed' : 'wrote'} ${path}\n`,
      );
    }
    return current || !check;
  } finally {
    await database.drop();
  }
}

process.exit((await generate(process.argv.includes('--check'))) ? 0 : 1);
