import { constants } from 'node:fs';
import { access, chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './logger.ts';

class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/** Creates the directory if needed and closes it to other users. Throws when this process cannot write there. */
export async function openDataDirectory(path: string, logger: Pick<Logger, 'warn'>): Promise<void> {
  try {
    await createDirectory(path, 0o700);
    await closeToOthers(path, logger);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryUnusable(`Cannot write files under DATA_DIR (${path}): ${reason}`, {
      cause: error,
    });
  }
}

const sticky = 0o1000;

/** Leaves a directory that users share, such as /tmp, and one that another user owns, such as a mounted volume. */
async function closeToOthers(path: string, logger: Pick<Logger, 'warn'>): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return;
  const was = (mode & 0o777).toString(8);
  const problem = (mode & sticky) === 0 ? await tighten(path, mode) : 'users share the directory';
  if (problem === null) logger.warn({ path, was }, 'closed DATA_DIR to other users');
  else
    logger.warn(
      { path, was, problem },
      'DATA_DIR is open to other users; give Parley a directory of its own',
    );
}

const tighten = (path: string, mode: number): Promise<string | null> =>
  chmod(path, mode & 0o700).then(
    () => null,
    (error: Error) => error.message,
  );

/** Node's own recursive mkdir loops forever where the system denies that a parent exists. */
async function createDirectory(path: string, mode?: number): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && (await isMissing(parent))) await createDirectory(parent);
  await mkdir(path, { mode }).catch(async (error: NodeJS.ErrnoException) => {
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
