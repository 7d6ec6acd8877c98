import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { isLockConflict } from './connection-errors.ts';
import { createUnreachableError } from './database-unreachable.ts';
import { MigrationRefused, requireSupportedPostgres } from './migration-refused.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { applyFunctions, type FunctionFile, readFunctionFiles } from './schema-functions.ts';
import { findOlderProcesses } from './schema-users.ts';

/** The key of a session advisory lock (ASCII "migr"), so that one process migrates at a time. */
export const migrationLock = 0x6d696772;

const connectTimeoutMs = 10_000;
const lockPollMs = 50;
/** While a migration waits for a lock, all later statements on the table wait behind it. */
const lockTimeoutMs = 1_000;
const lockRetryMs = 500;

/** feature_not_supported: raised by a migration when the server lacks something. */
const featureNotSupported = '0A000';

interface MigrateOptions {
  readonly directory?: string;
  /** Default: those of this version. */
  readonly functions?: readonly FunctionFile[];
  /** Applies no later version. */
  readonly upTo?: number;
  readonly logger?: Pick<Logger, 'info'>;
  /** How long processes of older versions may take to end before an incompatible migration. */
  readonly olderVersionsMs?: number;
}

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly incompatible: boolean;
}

/**
 * Applies pending migrations, each in its own transaction, then the functions that changed (server/schema/functions). Applies none to
 * the schema of a newer, compatible version. Returns the applied migrations. Throws `DatabaseUnreachable` or `MigrationRefused`.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<number[]> {
  const migrations = await readMigrations(options.directory);
  const client = await connect(databaseUrl);
  try {
    requireSupportedPostgres(await readServerVersion(client));
    // The server may have timeouts for requests. Migrations may take longer.
    await client.query('set statement_timeout = 0; set lock_timeout = 0');
    await lockMigrations(client, options.logger);
    const { upTo = Infinity } = options;
    await ensureMigrationsTable(client);
    const applied = await readApplied(client);
    const pending = selectPending(migrations, applied).filter(({ version }) => version <= upTo);
    const [schema, known] = [applied.at(-1)?.version ?? 0, migrations.at(-1)?.version ?? 0];
    if (schema > known)
      options.logger?.info({ schema, known }, 'the schema is of a newer version, which is compatible');
    const incompatible = pending.findLast(({ isIncompatible }) => isIncompatible);
    if (incompatible !== undefined)
      await waitForOlderProcesses(client, incompatible, options.olderVersionsMs);
    for (const migration of pending) {
      options.logger?.info({ migration: migration.version, name: migration.name }, 'applying a migration');
      while (!(await apply(client, migration))) {
        options.logger?.info(
          { migration: migration.version },
          'a migration waits for locks of other transactions',
        );
        await delay(lockRetryMs);
      }
      options.logger?.info({ migration: migration.version, name: migration.name }, 'migration applied');
    }
    if (schema <= known && (await hasFunctions(client)))
      await applyFunctions(client, {
        files: options.functions ?? (await readFunctionFiles()),
        logger: options.logger,
      });
    return pending.map((migration) => migration.version);
  } finally {
    await client.end();
  }
}

/** Returns the versions that `migrate` would apply. Throws like `migrate`. */
export async function readPendingMigrations(databaseUrl: string): Promise<number[]> {
  const migrations = await readMigrations();
  const client = await connect(databaseUrl);
  try {
    requireSupportedPostgres(await readServerVersion(client));
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('schema_migrations') is not null as exists",
    );
    const applied = rows[0]?.exists === true ? await readApplied(client) : [];
    return selectPending(migrations, applied).map((migration) => migration.version);
  } finally {
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw createUnreachableError(databaseUrl, error);
  });
  return client;
}

/** Polls, because building an index concurrently waits for the statements of all other connections, waiting ones included. */
async function lockMigrations(client: pg.Client, logger: MigrateOptions['logger']): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      migrationLock,
    ]);
    if (rows[0]?.locked === true) return;
    if (attempt === 1) logger?.info('another process migrates the database; waiting for it');
    await delay(lockPollMs);
  }
}

async function readServerVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  return rows[0]?.version ?? 'unknown';
}

/** Changes the table only if it must: even a change without effect waits for backups that read the table. */
async function ensureMigrationsTable(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'incompatible'`,
  );
  if (rows.length === 1) return;
  await client.query(`
    create table if not exists schema_migrations (
      version int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    );
    alter table schema_migrations add column if not exists incompatible boolean not null default false`);
}

/** A schema below version 44 has the functions that its migrations created. */
async function hasFunctions(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_functions') is not null as exists",
  );
  return rows[0]?.exists === true;
}

/** Version 0.1.0 had no column `incompatible`. */
async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    `select version, name, checksum, coalesce((to_jsonb(m)->>'incompatible')::boolean, false) as incompatible
     from schema_migrations m order by version`,
  );
  return rows;
}

function selectPending(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const newest = known.at(-1)?.version ?? 0;
  const knownByVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = knownByVersion.get(row.version);
    if (row.version > newest) {
      if (!row.incompatible) continue;
      throw new MigrationRefused(
        'schema_newer',
        `The database is at schema version ${row.version} (${row.name}), this Parley knows only up to ${newest}: ` +
          'start the newer Parley that migrated it, or restore a backup from before.',
      );
    }
    if (migration?.checksum !== row.checksum) {
      throw new MigrationRefused(
        'migration_changed',
        `Migration ${row.version} (${row.name}) is not the one that was applied to this database: ` +
          'released migrations must not be edited; restore the file and add a new migration instead.',
      );
    }
  }
  const reached = applied.at(-1)?.version ?? 0;
  const appliedVersions = new Set(applied.map((row) => row.version));
  const pending = known.filter((migration) => !appliedVersions.has(migration.version));
  const late = pending.find((migration) => migration.version < reached);
  if (late !== undefined) {
    throw new MigrationRefused(
      'migration_out_of_order',
      `Migration ${late.version} (${late.name}) was added below version ${reached}, which this database already has: ` +
        'give it the next free number.',
    );
  }
  return pending;
}

/** Throws `MigrationRefused` if a process of an older version uses the database for longer than `waitMs`. */
async function waitForOlderProcesses(
  client: pg.Client,
  { version, name }: Migration,
  waitMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const older = await findOlderProcesses(client, version);
    if (older.length === 0) return;
    if (performance.now() > deadline) {
      throw new MigrationRefused(
        'older_version_running',
        `Migration ${version} (${name}) is incompatible with a version of Parley that still uses the database ` +
          `(${older.join('; ')}): stop these processes, then start this version.`,
      );
    }
    await delay(200);
  }
}

/** Returns false, without a change, if other transactions held the locks that it needs for too long. */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  const { version, name, sql, isConcurrent } = migration;
  try {
    // Each statement of a concurrent migration must have the same effect if it runs again after a crash.
    if (isConcurrent) for (const statement of sql.split(/;\s*$/m)) await client.query(statement);
    await client.query('begin');
    if (!isConcurrent) await client.query(`set local lock_timeout = ${lockTimeoutMs}; ${sql}`);
    await recordApplied(client, migration);
    await client.query('commit');
    return true;
  } catch (error) {
    if (!isConcurrent && isLockConflict(error)) {
      await client.query('rollback');
      return false;
    }
    if (error instanceof pg.DatabaseError && error.code === featureNotSupported) {
      throw new MigrationRefused('postgres_lacks', error.message);
    }
    const reason = error instanceof Error ? error.message : String(error);
    const left = isConcurrent ? '' : ' and was rolled back';
    throw new Error(`Migration ${version} (${name}) failed${left}: ${reason}`, { cause: error });
  }
}

const recordApplied = (client: pg.Client, { version, name, checksum, isIncompatible }: Migration) =>
  client.query(
    'insert into schema_migrations (version, name, checksum, incompatible) values ($1, $2, $3, $4)',
    [version, name, checksum, isIncompatible],
  );
