import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createFileStore } from '../../src/ports/file-store/create-file-store.ts';
import { readConfig } from '../../src/process/config.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { assertAcknowledgedWritesExist } from './acknowledged.ts';
import { assertCountsAreExact, assertNothingIsOrphaned, settle } from './invariants.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { serverProcesses } from './server-process.ts';
import { startWriters } from './writers.ts';

const kills = repetitions(3, 20);
/** Writes of each kind between two kills. */
const writesBetween = 3;
/** Long, because a busy machine starts processes and document readers slowly. */
const progressMs = 120_000;

const database = await createTestDatabase();
after(() => database.drop());
const network = await startTestNetwork();
after(() => network.close());
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key } = await startApiOn(oracle);

test('keeps every acknowledged write and no partial one when killed under the load of 16 writers', async () => {
  const processes = await serverProcesses({
    ROLES: 'api,pool,worker',
    DATABASE_URL: database.url,
    SIMULATOR_URL: network.url,
    LEASE_SECONDS: '1',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  let server = await processes.start();
  const call = createCaller(
    () => server.url,
    () => key.token,
  );
  const fixture = await createPartnerFixture(call, network);
  const writers = startWriters(call, fixture);
  for (let kill = 0; kill < kills; kill += 1) {
    await writers.progress(writesBetween, progressMs);
    await server.kill();
    server = await processes.start();
  }
  await writers.progress(writesBetween, progressMs);
  await writers.stop();
  await assertAcknowledgedWritesExist({ db: oracle.db, network }, fixture, writers.acknowledged);
  assert.deepEqual(findUnexpected(writers.refusals), []);

  await server.kill();
  const system = {
    ...oracle,
    fileStore: createFileStore(readConfig({ DATA_DIR: processes.dataDir })),
  };
  await settle(system);
  await assertCountsAreExact(system);
  await assertNothingIsOrphaned(system);
});

/**
 * The device reconnects some time after a restart. A document that waited too long for a reader may be uploaded again.
 * No other refusal is allowed.
 */
const findUnexpected = (refusals: ReturnType<typeof startWriters>['refusals']) =>
  refusals.filter(({ kind, answer: { status, body, retryAfter } }) => {
    const reason = body.details?.reason;
    const isShed = kind === 'document' && status === 503 && reason === 'overloaded' && retryAfter !== null;
    return reason !== 'device_not_connected' && !isShed;
  });
