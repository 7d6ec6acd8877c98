import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import pg from 'pg';
import { main, startService } from '../../../scripts/demo/service-process.ts';
import { migrationLock } from '../../src/platform/database/migrator.ts';
import { addressOf } from '../database-address.ts';
import { queryOnce } from '../embedded-members.ts';
import { eventually } from '../eventually.ts';
import { reservePort } from '../reserved-port.ts';
import { createTestDatabase } from '../test-database.ts';
import { createDeployment } from './deployment.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-away-'));
after(() => rm(folder, { recursive: true, force: true }));

const encryptionKey = Buffer.alloc(32, 5).toString('base64');

async function reserve(): Promise<number> {
  const { port, release } = await reservePort();
  after(release);
  return port;
}

/** Returns settings of a process whose database can be reached only through `databasePort`. */
async function createSettings(databasePort: number) {
  const database = await createTestDatabase();
  after(() => database.drop());
  const url = new URL(database.url);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String(databasePort));
  const port = await reserve();
  const environment = {
    DATABASE_URL: url.href,
    ENCRYPTION_KEY: encryptionKey,
    PORT: String(port),
    DATA_DIR: join(folder, randomUUID()),
  };
  return { database, environment, api: `http://127.0.0.1:${port}` };
}

/** Forwards connections at the port to the database. */
async function openPort(port: number, databaseUrl: string): Promise<void> {
  const server = createServer((incoming) => {
    const outgoing = connect(addressOf(databaseUrl));
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    outgoing.on('error', () => incoming.destroy()).pipe(incoming);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
}

/** Returns null while no process listens. */
const readHealth = (api: string): Promise<unknown> =>
  fetch(`${api}/healthz`).then(
    (response) => response.json(),
    () => null,
  );

test('waits for an unreachable database, reports that it is starting, and then serves', async () => {
  const databasePort = await reserve();
  const { database, environment, api } = await createSettings(databasePort);
  const starting = startService(environment, join(folder, 'waiting.log'));
  starting.catch(() => undefined); // awaited below
  await eventually(async () => assert.deepEqual(await readHealth(api), { status: 'starting' }), 60_000);
  for (const path of ['/readyz', '/api/openapi/v1/teams']) {
    const response = await fetch(api + path);
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'], path);
    const { details } = (await response.json()) as { details: { reason: string } };
    assert.equal(details.reason, 'starting');
  }
  await openPort(databasePort, database.url);
  const service = await starting;
  assert.deepEqual(await readHealth(api), { status: 'ok' });
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

for (const [roles, variable] of [
  ['pool', 'POOL_PORT'],
  ['worker', 'METRICS_PORT'],
] as const) {
  test(`a ${roles} reports by HTTP that it is starting, and later that it is alive`, async () => {
    const databasePort = await reserve();
    const { database, environment } = await createSettings(databasePort);
    const port = await reserve();
    const settings = {
      ...environment,
      ROLES: roles,
      [variable]: String(port),
      SIMULATOR_URL: 'http://127.0.0.1:9',
    };
    const starting = startService(settings, join(folder, `waiting-${roles}.log`));
    starting.catch(() => undefined); // awaited below
    const health = `http://127.0.0.1:${port}`;
    await eventually(async () => assert.deepEqual(await readHealth(health), { status: 'starting' }), 60_000);
    await openPort(databasePort, database.url);
    const service = await starting;
    assert.deepEqual(await readHealth(health), { status: 'ok' });
    service.child.kill('SIGTERM');
    assert.equal(await service.ended, 0);
  });
}

test('reports that it is starting while another process migrates the database', async () => {
  const databasePort = await reserve();
  const { database, environment, api } = await createSettings(databasePort);
  await openPort(databasePort, database.url);
  const migrator = new pg.Client({ connectionString: database.url });
  await migrator.connect();
  await migrator.query('select pg_advisory_lock($1)', [migrationLock]);
  const logFile = join(folder, 'migrating.log');
  const starting = startService({ ...environment, LOG_LEVEL: 'info' }, logFile);
  starting.catch(() => undefined); // awaited below
  await eventually(
    async () => assert.match(await readFile(logFile, 'utf8'), /another process migrates the database/),
    60_000,
  );
  assert.deepEqual(await readHealth(api), { status: 'starting' });
  await migrator.end();
  const service = await starting;
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

test('a stop signal ends the wait for the database at once', async () => {
  const { environment, api } = await createSettings(await reserve());
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...environment, STARTUP_WAIT_SECONDS: '3600' },
  });
  after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const output = text(child.stdout);
  await eventually(async () => assert.deepEqual(await readHealth(api), { status: 'starting' }), 60_000);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], await output);
  assert.doesNotMatch(await output, /the start goes on after the signal/);
});

test('ends when its database is replaced by another one, and writes nothing to that one', async () => {
  const [own, other] = [await createTestDatabase(), await createTestDatabase()];
  const [ownName, otherName] = [own, other].map(({ url }) => new URL(url).pathname.slice(1));
  const server = new URL(own.url);
  server.pathname = '/postgres';
  const administer = (statement: string) => queryOnce(server.href, statement);
  after(async () => {
    await administer(`drop database if exists ${ownName}_kept with (force)`);
    await own.drop();
    await other.drop();
  });
  await queryOnce(other.url, 'update installation set id = gen_random_uuid()');
  const deployment = await createDeployment();
  const program = await deployment.start({ DATABASE_URL: own.url, ENCRYPTION_KEY: encryptionKey });
  await administer(`alter database ${ownName} allow_connections false`);
  await eventually(async () => {
    await administer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${ownName}' or datname = '${otherName}'`,
    );
    await administer(`alter database ${ownName} rename to ${ownName}_kept`);
  }, 20_000);
  await administer(`alter database ${otherName} rename to ${ownName}`);
  await eventually(async () => assert.equal(program.child.exitCode, 1, program.log()), 30_000);
  await program.ended;
  assert.match(program.log(), /"level":"fatal".*"msg":"the database was replaced by another one/);
  const [written] = await queryOnce(
    own.url,
    `select (select count(*) from pools) as pools, (select count(*) from encryption_keys) as keys,
            (select count(*) from api_keys) as api_keys`,
  );
  assert.deepEqual(written, { pools: '0', keys: '0', api_keys: '0' });
});
