import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Generates Kysely's types of the tables in the migrated database at `databaseUrl`. */
export async function generateDatabaseTypes(databaseUrl: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-types-'));
  const file = join(folder, 'schema.ts');
  try {
    await promisify(execFile)('kysely-codegen', [
      ...['--dialect', 'postgres', '--url', databaseUrl, '--out-file', file, '--log-level', 'error'],
      // database.ts parses days as text and counters as numbers.
      ...['--date-parser', 'string', '--type-mapping', '{"int8":"number"}'],
      ...['--include-pattern', 'public.*', '--exclude-pattern', 'public.schema_(migrations|functions)'],
    ]);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
