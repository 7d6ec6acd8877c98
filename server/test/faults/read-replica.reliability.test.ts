import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runParley } from '../cli/run-parley.ts';
import { queryOnce } from '../embedded-members.ts';
import { eventually } from '../eventually.ts';
import { testEncryptionKey } from '../harness.ts';
import { startReplicatedServer } from '../replicated-server.ts';
import { createCaller } from './partner-fixture.ts';
import { serverProcesses } from './server-process.ts';

const key = { key_id: 'pk_of_the_replica', key_secret: 'sk_of_the_replica' };

test('reads lists from the replica, and from the primary when the replica is unavailable', async () => {
  const database = await startReplicatedServer();
  after(() => database.remove());
  const processes = await serverProcesses({
    ROLES: 'api',
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.standbyUrl,
    SIMULATOR_URL: 'http://127.0.0.1:1',
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET: key.key_secret,
  });
  const server = await processes.start();
  let token = '';
  const call = createCaller(
    () => server.url,
    () => token,
  );
  token = (await call('POST', '/api/openapi/auth/token', key))?.body.data.access_token;
  const create = async (name: string): Promise<string> => {
    const user = { name: 'Front office', email: 'office@lumen-bikes.example' };
    const created = await call('POST', '/teams', { user, team: { name } });
    return created?.body.data.team.id;
  };
  const list = async (): Promise<string[]> => {
    const listed = await call('GET', '/teams');
    assert.equal(listed?.status, 200, JSON.stringify(listed));
    return listed?.body.data.map(({ name }: { name: string }) => name);
  };
  await create('First');
  await eventually(async () => assert.deepEqual(await list(), ['First']), 30_000);

  await queryOnce(database.standbyUrl, 'select pg_wal_replay_pause()');
  await eventually(async () => {
    const [state] = await queryOnce(database.standbyUrl, 'select pg_get_wal_replay_pause_state() as replay');
    assert.deepEqual(state, { replay: 'paused' });
  }, 30_000);
  const second = await create('Second');
  assert.deepEqual(await list(), ['First'], 'the list lags');
  assert.equal((await call('GET', `/teams/${second}`))?.status, 200, 'a single object does not lag');
  await queryOnce(database.standbyUrl, 'select pg_wal_replay_resume()');
  await eventually(async () => assert.deepEqual(await list(), ['Second', 'First']), 30_000);

  const environment = {
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.standbyUrl,
    ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
    DATA_DIR: processes.dataDir,
  };
  const doctor = () => runParley(['doctor'], environment);
  assert.match((await doctor()).stdout, /ok {7}read replica: replicates the database, \d/);
  const wrong = await runParley(['doctor'], { ...environment, DATABASE_READ_URL: database.url });
  assert.match(wrong.stdout, /FAILED {3}read replica: it is a primary, not a replica/);

  await queryOnce(database.url, "alter system set synchronous_standby_names = ''");
  await queryOnce(database.url, 'select pg_reload_conf()');
  const [receiver] = await queryOnce(database.standbyUrl, 'select pid from pg_stat_wal_receiver');
  process.kill(Number(receiver?.['pid']), 'SIGSTOP');
  try {
    await queryOnce(
      database.url,
      "create table filler as select repeat('x', 1000) as text from generate_series(1, 20000)",
    );
    assert.match(
      (await doctor()).stdout,
      /WARNING {2}read replica: replicates the database, \d+\.\d MiB behind/,
    );
  } finally {
    process.kill(Number(receiver?.['pid']), 'SIGCONT');
  }

  await database.killStandby();
  assert.deepEqual(await list(), ['Second', 'First']);
  await server.kill();
});
