import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { openTestContext } from '../harness.ts';
import { startReplicatedServer } from '../replicated-server.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { assertAcknowledgedWritesExist } from './acknowledged.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { serverProcesses } from './server-process.ts';
import { requests, startWriters } from './writers.ts';

const key = { key_id: 'pk_of_the_failover', key_secret: 'sk_of_the_failover' };

/** How long a failover manager takes to decide on a promotion. */
const decisionMs = 5_000;
/** FULL_FAULTS=1 asserts the guaranteed ten seconds. The short run allows more, because other tests run beside it. */
const recoveryMs = repetitions(30_000, 10_000);

test('survives the death of the primary under load, without a lost write or a restart', async (t) => {
  const database = await startReplicatedServer();
  after(() => database.remove());
  const network = await startTestNetwork();
  after(() => network.close());
  const processes = await serverProcesses({
    ROLES: 'api,pool,worker',
    DATABASE_URL: database.url,
    SIMULATOR_URL: network.url,
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET: key.key_secret,
    RATE_LIMIT_PER_MINUTE: '0',
    LEASE_SECONDS: '6',
  });
  const server = await processes.start();
  let token = '';
  const call = createCaller(
    () => server.url,
    () => token,
  );
  token = (await call('POST', '/api/openapi/auth/token', key))?.body.data.access_token;
  const fixture = await createPartnerFixture(call, network);
  const writers = startWriters(call, fixture);
  await writers.progress(5);

  const died = performance.now();
  await database.killPrimary();
  await delay(decisionMs);
  const promoting = performance.now();
  await database.promoteStandby();
  const promoted = performance.now();
  for (const [name, request] of Object.entries(requests)) {
    await eventually(
      async () => {
        const answer = await request(call, fixture, 0);
        assert.equal(answer?.status, 200, `${name}: ${JSON.stringify(answer)}`);
      },
      recoveryMs - (performance.now() - died),
    );
    t.diagnostic(`${name} succeeded ${((performance.now() - died) / 1000).toFixed(1)} s after the death`);
  }
  t.diagnostic(`the promotion took ${(promoted - promoting).toFixed(0)} ms`);
  await writers.progress(5);
  await writers.stop();
  assert.equal(server.hasEnded(), false);
  const context = await openTestContext(database.url);
  try {
    await assertAcknowledgedWritesExist({ db: context.db, network }, fixture, writers.acknowledged);
  } finally {
    await context.close();
  }
  await server.kill();
});
