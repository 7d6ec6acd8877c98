import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../src/database/embedded/embedded-server.ts';

/** The PostgreSQL that the tests of one run share. */
export interface TestServer {
  readonly url: string;
  /** Ends this process's use; the last one's end stops the server. */
  release(): Promise<void>;
}

/** Names the server a test run has started, so that the processes of its test files find it. */
export const TEST_SERVER_VARIABLE = 'TEST_DATABASE_SERVER';

/** Every database the tests create begins with this. */
export const TEST_DATABASE_PREFIX = 'test_';

/**
 * Joins the test server of this user, starting it when none runs. Its data stay under the system's temporary directory,
 * so that the next run finds its migrated template.
 */
export async function startTestServer(): Promise<TestServer> {
  const logger = { info() {}, warn: report, error: report };
  const dataDir = join(tmpdir(), `parley-tests-${process.getuid?.()}`);
  const server = await startEmbeddedServer({ dataDir, logger });
  try {
    await tidy(server.url);
    return server;
  } catch (error) {
    await server.release();
    throw error;
  }
}

async function tidy(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Test data need not survive a power cut; all else PostgreSQL promises stays as it is.
    await client.query('ALTER SYSTEM SET fsync = off');
    await client.query('ALTER SYSTEM SET full_page_writes = off');
    await client.query('SELECT pg_reload_conf()');
    // From its next start on: several runs at once share it.
    await client.query('ALTER SYSTEM SET max_connections = 600');
    // Not in the middle of a run: its test files are copying the template, which may have become old meanwhile.
    if (process.env[TEST_SERVER_VARIABLE] === undefined) await dropLeftovers(client);
  } finally {
    await client.end();
  }
}

/** Databases of killed test runs, and templates of migrations as they were yesterday. */
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
