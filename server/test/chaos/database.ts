import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrator.ts';
import { installJobSchema } from '../../src/platform/jobs/job-schema.ts';
import { startReplicatedServer } from '../replicated-server.ts';
import { startScratchServer } from '../scratch-server.ts';
import { createRoles, installAudit } from './audit.ts';

/** A PostgreSQL with a migrated and audited template database. */
export interface ChaosServer {
  /** Copies the template. */
  createDatabase(name: string): Promise<ChaosDatabase>;
  /** Crashes PostgreSQL and starts it again after `awayMs`. A replicated one promotes its standby instead, once. */
  crash(awayMs: number): Promise<void>;
  isReplicated: boolean;
  remove(): Promise<void>;
}

export interface ChaosDatabase {
  /** Without a role, the URL of the test itself. */
  urlFor(role?: string): string;
  /** Queries as the test itself; retries while the database is down. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const template = 'chaos_template';

/** The effect of a crash depends on the server. */
type CrashingServer = Pick<ChaosServer, 'crash' | 'remove'> & { url: string };

const settings = { track_commit_timestamp: 'on' };

async function startSingleServer(): Promise<CrashingServer> {
  const server = await startScratchServer({ settings });
  return {
    url: server.url,
    async crash(awayMs) {
      await server.stop('immediate');
      await delay(awayMs);
      await server.start();
    },
    remove: () => server.remove(),
  };
}

async function startServerWithStandby(): Promise<CrashingServer> {
  const server = await startReplicatedServer(settings);
  let hasPrimary = true;
  return {
    url: server.url,
    async crash(awayMs) {
      if (!hasPrimary) return;
      hasPrimary = false;
      await server.killPrimary();
      await delay(awayMs);
      await server.promoteStandby();
    },
    remove: () => server.remove(),
  };
}

export async function startChaosServer(
  roles: readonly string[],
  { isReplicated = false } = {},
): Promise<ChaosServer> {
  const server = await (isReplicated ? startServerWithStandby() : startSingleServer());
  const urlOf = (database: string, role?: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    if (role !== undefined) url.username = role;
    return url.href;
  };
  const administer = async (database: string, work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    await work(client).finally(() => client.end());
  };
  try {
    await administer('postgres', async (client) => {
      await client.query(`create database ${template}`);
      await createRoles(client, roles);
    });
    await migrate(urlOf(template));
    await installJobSchema(urlOf(template), { warn: () => undefined, trace: () => undefined });
    await administer(template, installAudit);
  } catch (error) {
    await server.remove();
    throw error;
  }
  // An interrupted run removes the server at any time. It must not start again afterwards.
  let removed = false;
  let crashed: Promise<void> = Promise.resolve();
  return {
    async createDatabase(name) {
      await administer('postgres', (client) =>
        client.query(`create database ${name} template ${template} strategy file_copy`),
      );
      return openDatabase((role) => urlOf(name, role));
    },
    async crash(awayMs) {
      if (removed) return;
      crashed = server.crash(awayMs);
      await crashed;
    },
    isReplicated,
    async remove() {
      removed = true;
      await crashed.catch(() => undefined); // the caller of crash() handles the error
      await server.remove();
    },
  };
}

const timeoutMs = 20_000;

function openDatabase(urlFor: (role?: string) => string): ChaosDatabase {
  const pool = new pg.Pool({ connectionString: urlFor(), max: 3, application_name: 'chaos' });
  const ignore = () => undefined; // the query reports it
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return {
    urlFor,
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        try {
          return (await pool.query<Row>(text, [...values])).rows;
        } catch (error) {
          if (performance.now() > deadline || isStatementError(error)) throw error;
          await delay(50);
        }
      }
    },
    close: () => pool.end(),
  };
}

/** Any other error may come from a crash. */
const isStatementError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(22|23|42)/.test(String(error.code));
