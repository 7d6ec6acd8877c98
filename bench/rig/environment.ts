import pg from 'pg';
import { migrate } from '../../server/src/platform/database/migrator.ts';
import { installJobSchema } from '../../server/src/platform/jobs/job-schema.ts';
import { startScratchServer } from '../../server/test/scratch-server.ts';
import { type Deployment, newDeployment } from './parley-process.ts';
import { seed } from './seed.ts';

/** A migrated and seeded PostgreSQL for this run, with synchronous commits as in a deployment. */
export interface Environment extends Deployment {
  postgresVersion: string;
  deviceIds: readonly string[];
  /** A connection to the database `postgres`, so that the rig's own statements are not counted. */
  admin: pg.Client;
  close(): Promise<void>;
}

/** The database under load. */
export const databaseName = 'parley_bench';

export async function openEnvironment(): Promise<Environment> {
  const server = await startScratchServer({ tcp: false, fsync: true });
  try {
    await loadStatementCounter(server);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create database ${databaseName}`);
    await admin.query('create extension pg_stat_statements');
    const databaseUrl = urlOf(server.url, databaseName);
    await migrate(databaseUrl);
    await installJobSchema(databaseUrl, { warn: () => undefined, trace: () => undefined });
    const { rows } = await admin.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    );
    return {
      ...newDeployment(databaseUrl),
      postgresVersion: rows[0]?.version ?? 'unknown',
      deviceIds: await seed(databaseUrl),
      admin,
      async close() {
        await admin.end();
        await server.remove();
      },
    };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** Loads pg_stat_statements without counting. `countStatements` turns it on, so that it does not slow other measurements. */
async function loadStatementCounter(server: Awaited<ReturnType<typeof startScratchServer>>): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await client.query(`alter system set "pg_stat_statements.track" = 'none'`);
  await client.end();
  await server.stop('fast');
  await server.start();
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
