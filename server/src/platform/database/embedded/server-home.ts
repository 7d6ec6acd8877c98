import { chmod, chown, lstat, mkdir, realpath, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresBinaries, prepareBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { otherOwner } from './embedded-server.errors.ts';
import { changeOwner, chooseServerAccount, type ServerAccount } from './server-account.ts';

export interface ServerHome {
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  readonly clusterDirectory: string;
  /** Only `account` and root can enter it. */
  readonly socketDirectory: string;
  readonly logPath: string;
}

/** Short, and independent of the permissions above the cluster. */
export const socketDirectoryFromCluster = '../socket';

const largestLogBytes = 10 * 1024 * 1024;

/** Prepares postgres.log, postgres/cluster (the data) and postgres/socket below `dataDirectory`. */
export async function prepareServerHome(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerHome> {
  await mkdir(dataDirectory, { recursive: true });
  const root = await realpath(dataDirectory);
  const home = join(root, 'postgres');
  const clusterDirectory = join(home, 'cluster');
  const socketDirectory = join(home, 'socket');
  const account = await chooseServerAccount(home, clusterDirectory);
  const binaries = await prepareBinaries({ account, copyDirectories: copyDirectories(root) });
  await ensurePrivateDirectory(home, account);
  await ensurePrivateDirectory(socketDirectory, account);
  await adoptRestoredCluster(clusterDirectory, account);
  await ensureCluster({ directory: clusterDirectory, binaries, account, settings });
  const logPath = join(root, 'postgres.log');
  await rotateLog(logPath);
  return { binaries, account, clusterDirectory, socketDirectory, logPath };
}

/** Returns the folders for PostgreSQL's programs, best first. The server's account cannot enter root's home. */
export function copyDirectories(dataDirectory: string): string[] {
  const forRoot = ['/var/cache/parley', join(tmpdir(), 'parley-postgres')];
  return process.getuid?.() === 0 ? forRoot : [join(dataDirectory, 'postgres-programs')];
}

async function ensurePrivateDirectory(path: string, account: ServerAccount | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  if (user !== 0 && (await lstat(path)).uid !== user) throw otherOwner(path);
  await chmod(path, 0o700);
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

/** Files that root restored from a backup belong to root, but PostgreSQL must own them. */
async function adoptRestoredCluster(directory: string, account: ServerAccount | undefined): Promise<void> {
  const owner = await lstat(directory).catch(() => undefined);
  if (owner !== undefined && account !== undefined && owner.uid !== account.uid)
    await changeOwner(account, directory);
}

async function rotateLog(path: string): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > largestLogBytes) await rename(path, `${path}.1`);
}
