import { createHash } from 'node:crypto';
import { lutimes, readlink, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureOwnDirectory } from './own-directory.ts';

/** Socket addresses have at most 108 bytes on Linux and 104 on macOS, with the terminator. */
const longestAddressBytes = 99;

/** Part of the socket's file name only; every cluster has its own directory. */
export const socketPort = 5432;

/** Returns `directory`, or a link if its path is too long. Repeated calls protect the link from /tmp cleanup. */
export async function reachableSocketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) <= longestAddressBytes) return directory;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const linkDirectory = join(tmpdir(), `parley-${process.getuid?.()}-${digest}`);
  await ensureOwnDirectory(linkDirectory, 0o700);
  const link = join(linkDirectory, 's');
  if ((await readlink(link).catch(() => undefined)) !== directory) {
    const draft = join(linkDirectory, `s-${process.pid}`);
    await rm(draft, { force: true });
    await symlink(directory, draft);
    await rename(draft, link);
  }
  const now = new Date();
  await lutimes(link, now, now);
  return link;
}
