import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/** Creates the directory if needed, and throws when this process cannot write there. */
export async function openDataDirectory(path: string): Promise<void> {
  try {
    await createDirectory(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryUnusable(`Cannot write files under DATA_DIR (${path}): ${reason}`, {
      cause: error,
    });
  }
}

/** Node's own recursive mkdir loops forever where the system denies that a parent exists. */
async function createDirectory(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && (await isMissing(parent))) await createDirectory(parent);
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  });
}

function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return true;
      throw error;
    },
  );
}
