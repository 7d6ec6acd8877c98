import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { selectPools } from '../../devices/pools/pools.sql.ts';
import { fitReaders, memoryForAllReadersMb } from '../../knowledge/documents/extraction/fit-readers.ts';
import type { Database } from '../../platform/database/database.ts';
import { probeDatabase, probeReplica } from '../../platform/database/database-probe.ts';
import { readPendingMigrations } from '../../platform/database/migrator.ts';
import { requireUsableServer } from '../../platform/database/server-requirements.ts';
import type { Config } from '../config.ts';
import { formatBytes } from './backup-files.ts';
import type { Check } from './findings.ts';

type Result = Awaited<ReturnType<Check['run']>>;

const leastFreeBytes = 1024 ** 3;
const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

export async function checkDataDirectory(path: string): Promise<Result> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { warning: `${path} does not exist yet`, fix: 'parley start creates it' };
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free < leastFreeBytes)
    return { warning: `only ${gib(free)} are free in ${path}`, fix: 'free some space, or move DATA_DIR' };
  if ((found.mode & 0o077) !== 0)
    return { warning: `${path} is open to other users`, fix: `chmod 700 ${path}` };
  return `${path} is writable, ${gib(free)} are free`;
}

/** The limit of the process that runs the check, such as one started in the container of the api. */
export function checkMemory(config: Config, limitBytes = process.constrainedMemory()): Result {
  const { concurrency, memoryMb } = fitReaders(config, limitBytes);
  const needed = memoryForAllReadersMb(config);
  const fix = `raise the memory limit to ${needed} MiB`;
  if (concurrency === 0) return { warning: 'no document reader fits into the memory limit', fix };
  const readers = `document readers that fit for each role: ${concurrency} of ${memoryMb} MiB`;
  return limitBytes > 0 && limitBytes < needed * 1024 ** 2 ? { warning: readers, fix } : readers;
}

export async function checkDatabaseAccess(databaseUrl: string): Promise<Result> {
  await requireUsableServer(databaseUrl);
  const pending = await readPendingMigrations(databaseUrl);
  const { serverVersion, milliseconds } = await probeDatabase(databaseUrl);
  const reached = `PostgreSQL ${serverVersion}, a write and a read took ${milliseconds.toFixed(0)} ms`;
  if (pending.length === 0) return reached;
  return {
    warning: `${reached}; ${pending.length} migrations are pending`,
    fix: 'parley migrate, or parley start',
  };
}

/** One file of the log: a busy replica may be this far behind for a moment. */
const mostBytesBehind = 16 * 1024 ** 2;

export async function checkReplica(
  urls: { primary: string; replica: string },
  installationId: string,
): Promise<Result> {
  const { bytesBehind } = await probeReplica(urls, installationId);
  const state = `replicates the database, ${formatBytes(bytesBehind)} behind`;
  if (bytesBehind <= mostBytesBehind) return state;
  return {
    warning: state,
    fix: 'check pg_stat_replication of DATABASE_URL; lists are old until the replica has caught up',
  };
}

export async function checkPools(db: Database): Promise<Result> {
  const { rows, total } = await selectPools(db, { page: 1, limit: 100 });
  const alive = rows.filter((pool) => pool.alive);
  if (alive.length === 0)
    return {
      warning: 'no pool is running, so devices are not connected',
      fix: 'start a process with the role pool',
    };
  if (alive.every(({ draining }) => draining))
    return {
      warning: 'every running pool drains, so no device can be connected',
      fix: 'start another pool, or restart one of these',
    };
  const devices = alive.reduce((sum, pool) => sum + pool.devices, 0);
  return `${alive.length} running (of ${total}) with ${devices} devices`;
}
