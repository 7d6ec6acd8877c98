import { chmod, lstat, mkdir } from 'node:fs/promises';
import { unsafeDirectory } from './embedded-server.errors.ts';

/**
 * Makes sure that `path` is a directory of this user with exactly `mode`.
 * Throws when something else is there: in a shared place like /tmp anyone could have put it to trick us.
 */
export async function ensureOwnDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  const found = await lstat(path);
  const writableByOthers = (found.mode & 0o022) !== 0;
  if (!found.isDirectory() || found.uid !== process.getuid?.() || writableByOthers)
    throw unsafeDirectory(path);
  await chmod(path, mode);
}
