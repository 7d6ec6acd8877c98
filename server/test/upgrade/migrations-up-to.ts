import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export const shippedMigrations = join(import.meta.dirname, '../../migrations');

/** Returns a folder with the migrations up to `version`, as an older release shipped them. Removed after the tests. */
export async function migrationsUpTo(version: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
  after(() => rm(folder, { recursive: true, force: true }));
  for (const name of await readdir(shippedMigrations)) {
    if (Number(name.slice(0, 4)) <= version) await cp(join(shippedMigrations, name), join(folder, name));
  }
  return folder;
}
