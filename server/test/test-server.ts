import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../src/database/embedded/embedded-server.ts';

/** The PostgreSQL that all tests of a run share. */
export interface TestServer {
  readonly url: string;
  /** Releases the server. The last release stops it. */
  release(): Promise<void>;
}

/** The environment variable with the URL of the run's server. */
export const TEST_SERVER_VARIABLE = 'TEST_DATABASE_SERVER';

/** Prefix of all databases that tests create. */
export const TEST_DATABASE_PREFIX = 'test_';

/**
 * Joins this user's test server, or starts it. Its data stay in the temporary directory, so that the next run finds the
 * migrated template.
 */
export async function startTestServer(): Promise<TestServer> {
  const logger = { info() {}, warn: report, error: report };
  const dataDir = join(tmpdir(), `parley-tests-${process.getuid?.()}`);
  const server = await startEmbeddedServer({ dataDir, logger });
  try {
    await prepare(server.url);
    return server;
  } catch (error) {
    await server.release();
    throw error;
  }
}

async function prepare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Test data need not survive a power failure.
    await client.query('ALTER SYSTEM SET fsync = off');
    await client.query('ALTER SYSTEM SET full_page_writes = off');
    await client.query('SELECT pg_reload_conf()');
    // Effective from the next start. Several runs may share the server.
    await client.query('ALTER SYSTEM SET max_connections = 600');
    // Not during a run, because test files may be copying an older template.
    if (process.env[TEST_SERVER_VARIABLE] === undefined) await dropLeftovers(client);
  } finally {
    await client.end();
  }
}

/** Drops databases of killed runs and outdated templates, after a day. */
async function dropLeftovers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database d
     WHERE starts_with(datname, $1)
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)
       AND (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification < now() - interval '1 day'`,
    [TEST_DATABASE_PREFIX],
  );
  for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)}`);
}

function report(problem: unknown, message?: string): void {
  process.stderr.write(`test server: ${message ?? ''} ${JSON.stringify(problem)}\n`);
}
