/**
 * Measures Parley on a database with many messages: latencies at 12 requests a second of each kind, at rest and during a purge,
 * and what the tables and their maintenance take. Stores the figures of each number of messages in `results/`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readCount, readOptions } from '../scripts/command-line.ts';
import { migrate } from '../server/src/platform/database/migrator.ts';
import { installJobSchema } from '../server/src/platform/jobs/job-schema.ts';
import { startScratchServer } from '../server/test/scratch-server.ts';
import { connectTeams } from './rig/connected-devices.ts';
import { fillDatabase } from './rig/fill-database.ts';
import { type Latency, storeLargeDatabase } from './rig/large-database-results.ts';
import { describeMachine } from './rig/machine.ts';
import { newDeployment, type ParleyProcess, startParley } from './rig/parley-process.ts';
import { percentile } from './rig/percentile.ts';

const usage = 'npm run bench:large -- [--messages 1000000] [--seconds 60]';
const requestsPerSecond = 12;
const listSamples = 5;

interface Operation {
  name: string;
  request: () => { method: 'GET' | 'POST'; path: string; body?: object };
}

const options = readOptions(usage, {
  messages: { type: 'string', default: '1000000' },
  seconds: { type: 'string', default: '60' },
});
const messages = readCount(usage, 'messages', options.messages);
const seconds = readCount(usage, 'seconds', options.seconds);
await using ends = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'parley-large-'));
ends.defer(() => rm(directory, { recursive: true, force: true }));
const server = await startScratchServer({ tcp: false, fsync: true });
ends.defer(() => server.remove());
const databaseUrl = server.url;
await fill();
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
ends.defer(() => client.end());
console.log('measuring');

const parley = await startParley({
  deployment: newDeployment(databaseUrl),
  directory,
  log: 'large',
  roles: 'api,pool,worker',
  execArgs: [],
});
ends.defer(() => parley.stop());
const operations = await chooseOperations();
await measureLatencies(operations, 5);
const atRest = await measureLatencies(operations, seconds);
const ofAll = await measureListsOfAll();
const purging = await startPurge();
const duringPurge = await measureLatencies(operations, seconds);
const purgedPerSecond = await purging.stop();
const figures = {
  atRest,
  duringPurge,
  ofAll,
  purgedPerSecond,
  vacuumSeconds: await measureVacuums(),
  bytes: await readSizes(),
};
console.log(JSON.stringify(figures, null, 2));
const machine = {
  ...(await describeMachine()),
  postgres:
    (await client.query<{ v: string }>(`select current_setting('server_version') as v`)).rows[0]?.v ?? '',
};
console.log(`Wrote ${await storeLargeDatabase({ messages, machine, seconds, figures })}`);

/** Without a log of changes, because nothing reads it. Then the server gets the settings of the embedded one back. */
async function fill(): Promise<void> {
  const begun = performance.now();
  await migrate(databaseUrl);
  await installJobSchema(databaseUrl, { warn: () => undefined, trace: () => undefined });
  const restartWith = async (...statements: string[]) => {
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    for (const statement of statements) await admin.query(statement);
    await admin.end();
    await server.stop('fast');
    await server.start();
  };
  await restartWith(
    'alter system set wal_level = minimal',
    'alter system set max_wal_senders = 0',
    'alter system set autovacuum = off',
  );
  await fillDatabase(databaseUrl, messages, (step) =>
    console.log(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${step}`),
  );
  await restartWith('alter system reset all');
}

/** Requests name random teams and chats of the filled rows. Sends go over devices of 20 further teams. */
async function chooseOperations(): Promise<Operation[]> {
  const pick = async (query: string) => {
    const { rows } = await client.query<{ id: string }>(query);
    return () => rows[Math.floor(Math.random() * rows.length)]?.id ?? '';
  };
  const team = await pick('select id from teams');
  const chat = await pick(
    `select id from conversations where last_message_at > now() - interval '300 days' order by hashtext(id::text) limit 5000`,
  );
  const sending = await connectTeams({ ...parley, databaseUrl }, 20, null);
  let sent = 0;
  return [
    {
      name: 'POST /send',
      request: () => {
        sent += 1;
        return {
          method: 'POST',
          path: '/send',
          body: {
            device_id: sending[sent % sending.length]?.id,
            destination_number: `+1666${String(sent % 1000).padStart(7, '0')}`,
            message: 'Your bicycle is ready: the brakes are new and the chain is oiled.',
          },
        };
      },
    },
    {
      name: 'thread: GET /conversations/{id}/messages',
      request: () => ({ method: 'GET', path: `/conversations/${chat()}/messages?limit=50` }),
    },
    {
      name: 'inbox: GET /conversations?team_id=',
      request: () => ({
        method: 'GET',
        path: `/conversations?team_id=${team()}&sort=last_message_at&limit=30`,
      }),
    },
    {
      name: 'GET /messages?team_id=',
      request: () => ({ method: 'GET', path: `/messages?team_id=${team()}` }),
    },
  ];
}

/** Starts requests at the same rate however long they take. All operations run at the same time. */
async function measureLatencies(
  of: readonly Operation[],
  forSeconds: number,
): Promise<Record<string, Latency>> {
  const latencies = await Promise.all(
    of.map(async (operation, index) => {
      const running: Promise<number>[] = [];
      await delay((1000 / requestsPerSecond) * (index / of.length));
      for (let n = 0; n < forSeconds * requestsPerSecond; n += 1) {
        const measured = measure(parley, operation);
        // Without this, a failure would end the process before it stops its servers. `Promise.all` reports it.
        measured.catch(() => undefined);
        running.push(measured);
        await delay(1000 / requestsPerSecond);
      }
      const values = await Promise.all(running);
      return [operation.name, { p50: percentile(values, 0.5), p99: percentile(values, 0.99) }] as const;
    }),
  );
  return Object.fromEntries(latencies);
}

async function measure({ url, token }: ParleyProcess, { request }: Operation): Promise<number> {
  const { method, path, body } = request();
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/openapi/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${text}`);
  return performance.now() - startedAt;
}

/** Lists of all teams count every row, so they run one after another. Returns the median milliseconds. */
async function measureListsOfAll(): Promise<Record<string, number>> {
  const medians: Record<string, number> = {};
  for (const path of ['/conversations?sort=last_message_at', '/messages', '/audit-log', '/events']) {
    const operation: Operation = { name: path, request: () => ({ method: 'GET', path }) };
    const values: number[] = [];
    for (let n = 0; n < listSamples; n += 1) values.push(await measure(parley, operation));
    medians[`GET ${path}`] = percentile(values, 0.5);
  }
  return medians;
}

/** `stop` returns how many messages and events were deleted a second, until the job ended or `stop` was called. */
async function startPurge(): Promise<{ stop(): Promise<Record<'messages' | 'events', number>> }> {
  const before = await countDeleted();
  const startedAt = performance.now();
  await client.query(`select graphile_worker.add_job('purge-expired', '{}'::json)`);
  let endedAt: number | undefined;
  const watching = setInterval(async () => {
    const { rowCount } = await client.query(
      `select from graphile_worker.jobs where task_identifier = 'purge-expired'`,
    );
    if (rowCount === 0) endedAt ??= performance.now();
  }, 500);
  return {
    async stop() {
      clearInterval(watching);
      const took = ((endedAt ?? performance.now()) - startedAt) / 1000;
      const after = await countDeleted();
      return {
        messages: (after.messages - before.messages) / took,
        events: (after.events - before.events) / took,
      };
    },
  };
}

async function countDeleted(): Promise<Record<'messages' | 'events', number>> {
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ messages: number; events: number }>(`
    select max(n_tup_del) filter (where relname = 'messages')::float8 as messages,
           max(n_tup_del) filter (where relname = 'events')::float8 as events
    from pg_stat_user_tables`);
  return rows[0] ?? { messages: 0, events: 0 };
}

async function measureVacuums(): Promise<Record<string, number>> {
  const took: Record<string, number> = {};
  for (const table of ['messages', 'events']) {
    const startedAt = performance.now();
    await client.query(`vacuum ${table}`);
    took[table] = (performance.now() - startedAt) / 1000;
  }
  return took;
}

/** Bytes of each filled table and its indexes. */
async function readSizes(): Promise<Record<string, { table: number; indexes: Record<string, number> }>> {
  const { rows } = await client.query<{ table: string; bytes: number; indexes: Record<string, number> }>(`
    select c.relname as table, pg_table_size(c.oid)::float8 as bytes,
           (select jsonb_object_agg(i.indexrelid::regclass, pg_relation_size(i.indexrelid)) from pg_index i
            where i.indrelid = c.oid) as indexes
    from pg_class c where c.relname in ('messages', 'conversations', 'events', 'audit_log') and c.relkind = 'r'
      and c.relnamespace = 'public'::regnamespace order by pg_total_relation_size(c.oid) desc`);
  return Object.fromEntries(rows.map(({ table, bytes, indexes }) => [table, { table: bytes, indexes }]));
}
