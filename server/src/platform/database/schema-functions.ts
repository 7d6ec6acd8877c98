import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { version } from '../shared/version.ts';
import { isLockConflict } from './connection-errors.ts';

const functionsDirectory = join(import.meta.dirname, '../../../schema/functions');

/** A file of SQL functions and of the triggers that call them. Running it again has no effect. */
export interface FunctionFile {
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of the text with LF line ends. */
  readonly checksum: string;
}

interface Applied {
  readonly file: string;
  readonly checksum: string;
  readonly version: string;
}

const lockTimeoutMs = 1_000;
const lockRetryMs = 500;

export async function readFunctionFiles(directory = functionsDirectory): Promise<FunctionFile[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n');
      return { file, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Applies the files whose content changed, each in a transaction of its own, and returns their names. Applies none if a newer
 * version of Parley applied its own, so that an old process that starts during an upgrade does not take them back. Call it under
 * the lock of the migrations, after them.
 */
export async function applyFunctions(
  client: pg.Client,
  {
    files,
    own = version,
    logger,
  }: { files: readonly FunctionFile[]; own?: string; logger?: Pick<Logger, 'info'> | undefined },
): Promise<string[]> {
  const { rows } = await client.query<Applied>('select file, checksum, version from schema_functions');
  const checksums = new Map(rows.map(({ file, checksum }) => [file, checksum]));
  const changed = files.filter(({ file, checksum }) => checksums.get(file) !== checksum);
  const newer = rows.find((row) => compareVersions(row.version, own) > 0);
  if (newer !== undefined) {
    if (changed.length > 0)
      logger?.info({ version: newer.version }, 'the functions of the database are of a newer version');
    return [];
  }
  for (const file of changed) {
    while (!(await apply(client, file, own))) {
      logger?.info({ file: file.file }, 'functions wait for locks of other transactions');
      await delay(lockRetryMs);
    }
  }
  if (changed.length > 0)
    logger?.info({ files: changed.map(({ file }) => file) }, 'functions of the database replaced');
  return changed.map(({ file }) => file);
}

/** Returns false, without a change, if other transactions held the locks that it needs for too long. */
async function apply(
  client: pg.Client,
  { file, sql, checksum }: FunctionFile,
  own: string,
): Promise<boolean> {
  await client.query('begin');
  try {
    // A body may name what a later file creates.
    await client.query(
      `set local lock_timeout = ${lockTimeoutMs}; set local check_function_bodies = off; ${sql}`,
    );
    await client.query(
      `insert into schema_functions (file, checksum, version) values ($1, $2, $3)
       on conflict (file) do update set checksum = excluded.checksum, version = excluded.version, applied_at = now()`,
      [file, checksum, own],
    );
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    if (isLockConflict(error)) return false;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The functions of server/schema/functions/${file} could not be replaced: ${reason}`, {
      cause: error,
    });
  }
}

/** Compares versions like `0.3.0` by their numbers, without suffixes. */
function compareVersions(a: string, b: string): number {
  const numbers = (text: string) => text.split('-')[0]?.split('.').map(Number) ?? [];
  const [left, right] = [numbers(a), numbers(b)];
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
