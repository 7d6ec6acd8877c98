import { chmod, lstat, mkdir } from 'node:fs/promises';
import { unsafeDirectory } from './embedded-server.errors.ts';

/** Creates a directory of this user. Throws if another user owns it or can write to it, as is possible in /tmp. */
export async function ensureOwnDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  const found = await lstat(path);
  const writableByOthers = (found.mode & 0o022) !== 0;
  if (!found.isDirectory() || found.uid !== process.getuid?.() || writableByOthers)
    throw unsafeDirectory(path);
  await chmod(path, mode);
}
