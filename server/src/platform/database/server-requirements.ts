import pg from 'pg';
import { createUnreachableError } from './database-unreachable.ts';
import { MigrationRefused } from './migration-refused.ts';

/** Engines that speak PostgreSQL's protocol. Each lacks something that Parley needs. */
const otherEngines = [
  { pattern: /CockroachDB/i, name: 'CockroachDB' },
  { pattern: /-YB-|YugabyteDB/i, name: 'YugabyteDB' },
  { pattern: /Redshift/i, name: 'Amazon Redshift' },
  { pattern: /DSQL/i, name: 'Amazon Aurora DSQL' },
  { pattern: /Materialize|RisingWave|QuestDB|CrateDB|Spanner/i, name: 'another engine' },
];

/** Statements that an engine must support. The lock outlives its transaction. */
const features = [
  {
    needs: 'advisory locks',
    statement: 'select pg_advisory_lock_shared(1885434473), pg_advisory_unlock_shared(1885434473)',
  },
  { needs: 'LISTEN and NOTIFY', statement: 'listen parley_probe' },
];

const answerWithinMs = 5_000;

/**
 * Throws `DatabaseUnreachable`, or `MigrationRefused` if the server at `databaseUrl` is not PostgreSQL or is a pooler in
 * transaction mode.
 */
export async function requireUsableServer(databaseUrl: string): Promise<void> {
  const first = await connect(databaseUrl);
  try {
    await requirePostgres(first);
    const second = await connect(databaseUrl);
    try {
      await requireSessions(first, second);
    } finally {
      await second.end();
    }
  } finally {
    await first.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: answerWithinMs,
  });
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw createUnreachableError(databaseUrl, error);
  });
  return client;
}

async function requirePostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>('select version() as version');
  const [{ version } = { version: '' }] = rows;
  const engine = otherEngines.find(({ pattern }) => pattern.test(version))?.name;
  if (engine !== undefined || !version.startsWith('PostgreSQL')) {
    throw new MigrationRefused(
      'other_engine',
      `The database is ${engine ?? 'no PostgreSQL'} (${version}), which lacks features that Parley needs: use PostgreSQL 17 or newer.`,
    );
  }
  for (const { needs, statement } of features) {
    await client.query(statement).catch((error: Error) => {
      throw new MigrationRefused(
        'other_engine',
        `The database does not support ${needs}, which Parley needs (${error.message}): use PostgreSQL 17 or newer.`,
      );
    });
  }
}

/** A pooler in transaction mode gives the connection that `first` used to the transaction of `second`. */
async function requireSessions(first: pg.Client, second: pg.Client): Promise<void> {
  const before = await readProcess(first);
  await second.query('begin');
  await readProcess(second);
  const after = await readProcess(first).catch(() => null);
  await second.query('rollback');
  if (before === after) return;
  throw new MigrationRefused(
    'transaction_pooling',
    'DATABASE_URL leads to a connection pooler in transaction mode (such as PgBouncer), which breaks the locks and ' +
      'notifications of Parley: set pool_mode=session for this database, or connect to PostgreSQL directly.',
  );
}

async function readProcess(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? null;
}
