import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after } from 'node:test';

const root = join(import.meta.dirname, '../../..');

/** Changes the most frequented tables, as a compatible migration may. */
const migrations = {
  '9001-next-version.sql': `
    alter table messages add column of_the_next_version text;
    alter table devices add column of_the_next_version int not null default 0;
  `,
  '9002-next-index.sql': `
-- Without a transaction.
drop index concurrently if exists messages_next_version;
create index concurrently messages_next_version on messages (of_the_next_version) where of_the_next_version is not null;
`,
};

/** Returns the main program of a copy of this version with further migrations. */
export async function createNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-next-'));
  after(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'server', 'package.json']) {
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !['node_modules', 'test'].includes(basename(path)),
    });
  }
  for (const name of ['node_modules', 'simulator', 'console', 'packages'])
    await symlink(join(root, name), join(folder, name));
  for (const [name, sql] of Object.entries(migrations))
    await writeFile(join(folder, 'server/migrations', name), sql);
  return join(folder, 'server/src/main.ts');
}
