import { mkdir, open, rmdir } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

/** Writes a new file and returns when its bytes are on the disk. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes renames into, and removals from, a directory survive a power cut. A directory that is gone has nothing to keep. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  try {
    await directory?.sync();
  } finally {
    await directory?.close();
  }
}

/** Makes a directory with its parents, durably. */
export async function makeDirectory(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = path; made.length >= firstMade.length; made = dirname(made))
    await syncDirectory(dirname(made));
}

/** Removes a directory and those above it, as long as they are empty and inside `root`. */
export async function removeEmptyDirectories(path: string, root: string): Promise<void> {
  for (let directory = path; relative(root, directory) !== ''; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return;
      if (!isMissing(error)) throw error;
    }
  }
}

/** Whether an error says that a path does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

/** Whether an error of the system has one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
