import pg from 'pg';
import type { Logger } from 'pino';
import { MigrationRefused, requireSupportedPostgres } from './migration-refused.ts';
import { type Migration, readMigrations } from './migrations.ts';

/** The key of a session advisory lock (ASCII "migr"), so that one process migrates at a time. */
const MIGRATION_LOCK = 0x6d696772;

const connectTimeoutMs = 10_000;

/** feature_not_supported: raised by a migration when the server lacks something. */
const SERVER_LACKS = '0A000';

class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}

interface MigrateOptions {
  readonly directory?: string;
  readonly logger?: Pick<Logger, 'info'>;
}

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** Applies pending migrations, each in its own transaction. Throws `DatabaseUnreachable` or `MigrationRefused`. */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<number[]> {
  const migrations = await readMigrations(options.directory);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw createUnreachableError(databaseUrl, error);
  });
  try {
    requireSupportedPostgres(await readServerVersion(client));
    // The server may have timeouts for requests. Migrations may take longer.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = selectPending(migrations, await readApplied(client));
    for (const migration of pending) {
      await apply(client, migration);
      options.logger?.info({ migration: migration.version, name: migration.name }, 'migration applied');
    }
    return pending.map((migration) => migration.version);
  } finally {
    await client.end();
  }
}

async function readServerVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  return rows[0]?.version ?? 'unknown';
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version int PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const { rows } = await client.query<AppliedMigration>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
  return rows;
}

function selectPending(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const newest = known.at(-1)?.version ?? 0;
  const knownByVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = knownByVersion.get(row.version);
    if (row.version > newest) {
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

async function apply(client: pg.Client, { version, name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === SERVER_LACKS) {
      throw new MigrationRefused('postgres_lacks', error.message);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${version} (${name}) failed and was rolled back: ${reason}`, { cause: error });
  }
}

function createUnreachableError(databaseUrl: string, error: unknown): DatabaseUnreachable {
  const message = `The database at ${describe(databaseUrl)} cannot be used: ${describeError(error)} (see DATABASE_URL).`;
  return new DatabaseUnreachable(message, { cause: error });
}

function describe(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
