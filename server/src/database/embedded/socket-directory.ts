import { createHash } from 'node:crypto';
import { lutimes, readlink, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureOwnDirectory } from './own-directory.ts';

/** Sockets have short addresses: 108 bytes on Linux, 104 on macOS, the end mark included. */
const LONGEST_ADDRESS_BYTES = 99;

/** The port only names the socket file; every cluster has its own directory. */
export const SOCKET_PORT = 5432;

/**
 * The path under which clients reach the sockets in `directory`: itself or, where it is too long for the address of a
 * socket, a link to it inside a directory of this user alone under the system's temporary one. Calling it again renews
 * the link, which keeps it from sweepers of old temporary files.
 */
export async function reachableSocketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(join(directory, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_ADDRESS_BYTES)
    return directory;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const ours = join(tmpdir(), `parley-${process.getuid?.()}-${digest}`);
  await ensureOwnDirectory(ours, 0o700);
  const link = join(ours, 's');
  if ((await readlink(link).catch(() => undefined)) !== directory) {
    const draft = join(ours, `s-${process.pid}`);
    await rm(draft, { force: true });
    await symlink(directory, draft);
    await rename(draft, link);
  }
  const now = new Date();
  await lutimes(link, now, now);
  return link;
}
