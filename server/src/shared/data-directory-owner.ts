import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The documents under DATA_DIR belong to another database than this program's. */
class DataDirectoryTaken extends Error {
  override readonly name = 'DataDirectoryTaken';
}

/**
 * Writes down in `DATA_DIR/installation-id` whose documents lie there, and refuses a database other than that one: to it
 * they would be files that nothing names, which are removed. Programs that start at once agree on one owner.
 */
export async function claimDataDirectory(dataDir: string, installationId: string): Promise<void> {
  const path = join(dataDir, 'installation-id');
  if (((await ownerOf(path)) ?? (await claim(path, installationId))) === installationId) return;
  throw new DataDirectoryTaken(
    `DATA_DIR (${dataDir}) holds the documents of another database: choose another DATA_DIR, or, when that database is ` +
      `gone for good, remove ${path}.`,
  );
}

async function ownerOf(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Answers whose it is, which may be another that claimed it meanwhile: unlike a rename, a link replaces nothing. */
async function claim(path: string, installationId: string): Promise<string | null> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${installationId}\n`, { mode: 0o600, flush: true });
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return ownerOf(path);
}
