import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startTrustingServer } from './trusting-server.ts';

/** The PostgreSQL that all tests of a run share. */
export interface TestServer {
  readonly url: string;
  /** Releases the server. The last release stops it. */
  release(): Promise<void>;
}

/** The environment variable with the URL of the run's server. */
export const testServerVariable = 'TEST_DATABASE_SERVER';

/** Prefix of all databases that tests create. */
export const testDatabasePrefix = 'test_';

/**
 * Joins this user's test server, or starts it. Its data stay in the temporary directory, so that the next run finds the
 * migrated template.
 */
export async function startTestServer(): Promise<TestServer> {
  const logger = { info() {}, warn: report, error: report };
  const dataDir = join(tmpdir(), `parley-tests-${process.getuid?.()}`);
  const server = await startTrustingServer(dataDir, logger);
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
    await client.query('alter system set fsync = off');
    await client.query('alter system set full_page_writes = off');
    await client.query('select pg_reload_conf()');
    // Effective from the next start. Several runs may share the server.
    await client.query('alter system set max_connections = 600');
    // Not during a run, because test files may be copying an older template.
    if (process.env[testServerVariable] === undefined) await dropLeftovers(client);
  } finally {
    await client.end();
  }
}

/** Drops databases of killed runs and outdated templates, after a day. */
async function dropLeftovers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database d
     where starts_with(datname, $1)
       and not exists (select from pg_stat_activity a where a.datid = d.oid)
       and (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification < now() - interval '1 day'`,
    [testDatabasePrefix],
  );
  for (const { name } of rows) await client.query(`drop database if exists ${pg.escapeIdentifier(name)}`);
}

function report(problem: unknown, message?: string): void {
  process.stderr.write(`test server: ${message ?? ''} ${JSON.stringify(problem)}\n`);
}
