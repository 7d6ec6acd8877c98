import { chmod, chown, lstat, mkdir, realpath, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresBinaries, prepareBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { otherOwner } from './embedded-server.errors.ts';
import { changeOwner, chooseServerAccount, type ServerAccount } from './server-account.ts';

/** Where a server lives, with all that starting it needs. */
export interface ServerHome {
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  /** PostgreSQL's data directory. */
  readonly clusterDirectory: string;
  /** Only the account (and root) can enter it: who can, is trusted. */
  readonly socketDirectory: string;
  readonly logPath: string;
}

/** The socket's directory as the postmaster is told it: short, and reachable whatever lies above the cluster. */
export const SOCKET_DIRECTORY_FROM_CLUSTER = '../socket';

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;

/**
 * Builds, or completes, the home of a server below `dataDirectory`:
 *
 *     postgres.log         what PostgreSQL says; the one before as postgres.log.1
 *     postgres/            closed to all but the account
 *       cluster/           the data
 *       socket/            the unix socket
 */
export async function prepareServerHome(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerHome> {
  await mkdir(dataDirectory, { recursive: true });
  const root = await realpath(dataDirectory);
  const home = join(root, 'postgres');
  const clusterDirectory = join(home, 'cluster');
  const socketDirectory = join(home, 'socket');
  const account = await chooseServerAccount(home);
  const binaries = await prepareBinaries({ account, copyDirectories: copyDirectories(root) });
  await closedDirectory(home, account);
  await closedDirectory(socketDirectory, account);
  await adoptRestoredCluster(clusterDirectory, account);
  await ensureCluster({ directory: clusterDirectory, binaries, account, settings });
  const logPath = join(root, 'postgres.log');
  await rotateLog(logPath);
  return { binaries, account, clusterDirectory, socketDirectory, logPath };
}

/**
 * Returns where copies of PostgreSQL's programs may go, best first. A copy for root's server must be outside root's home,
 * and preferably not in a folder whose old files are removed.
 */
export function copyDirectories(dataDirectory: string): string[] {
  const forRoot = ['/var/cache/parley', join(tmpdir(), 'parley-postgres')];
  return process.getuid?.() === 0 ? forRoot : [join(dataDirectory, 'postgres-programs')];
}

async function closedDirectory(path: string, account: ServerAccount | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  if (user !== 0 && (await lstat(path)).uid !== user) throw otherOwner(path);
  await chmod(path, 0o700);
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

/** Files that root brought back from a backup are root's; PostgreSQL must own them. */
async function adoptRestoredCluster(directory: string, account: ServerAccount | undefined): Promise<void> {
  const owner = await lstat(directory).catch(() => undefined);
  if (owner !== undefined && account !== undefined && owner.uid !== account.uid)
    await changeOwner(account, directory);
}

async function rotateLog(path: string): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  // A running server keeps writing to the renamed file, which is where the next rotation leaves it too.
  if (size > LARGEST_LOG_BYTES) await rename(path, `${path}.1`);
}
