import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createFileStore } from '../../src/ports/file-store/create-file-store.ts';
import { readConfig } from '../../src/process/config.ts';
import { eventually } from '../eventually.ts';
import { openTestContext } from '../harness.ts';
import { startScratchServer } from '../scratch-server.ts';
import { startTestNetwork, type TestNetwork } from '../simulated-network.ts';
import { assertAcknowledgedWritesExist } from './acknowledged.ts';
import { assertCountsAreExact, assertNothingIsOrphaned, settle } from './invariants.ts';
import {
  type Call,
  type CallResult,
  createCaller,
  createPartnerFixture,
  type PartnerFixture,
} from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';
import { type Refusal, requests, startWriters, type Writers } from './writers.ts';

/** The longer outages outlast the pool's lease. */
const outages = [
  { length: 'shorter than a lease', leaseSeconds: 60, downtimeMs: 0 },
  { length: 'longer than a lease', leaseSeconds: 1, downtimeMs: 1_500 },
];
const crashCount = repetitions(1, 5);
/** Writes of each kind between two crashes. */
const writesBetween = 3;
/** FULL_FAULTS=1 asserts the guaranteed five seconds. The short run allows more, because other tests run beside it. */
const recoveryMs = repetitions(120_000, 5_000);

const key = { key_id: 'pk_of_the_crash_tests', key_secret: 'sk_of_the_crash_tests' };

for (const { length, leaseSeconds, downtimeMs } of outages) {
  test(`returns 503 during an outage ${length} and recovers soon afterwards`, () =>
    crashDatabase({ leaseSeconds, downtimeMs }));
}

async function crashDatabase({
  leaseSeconds,
  downtimeMs,
}: {
  leaseSeconds: number;
  downtimeMs: number;
}): Promise<void> {
  const database = await startScratchServer();
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
    LEASE_SECONDS: String(leaseSeconds),
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
  const crashes: Crash[] = [];
  for (let crash = 0; crash < crashCount; crash += 1) {
    await writers.progress(writesBetween);
    const from = performance.now();
    await database.stop('immediate');
    crashes.push({ from, to: performance.now() });
    await assertUnavailable(call, fixture);
    await delay(downtimeMs);
    await database.start();
    await waitUntilRecovered(call, fixture, performance.now());
  }
  await writers.progress(writesBetween);
  await writers.stop();
  assert.equal(server.hasEnded(), false);
  const isExpected = (refusal: Refusal) =>
    isCausedByCrash(refusal, crashes) || (downtimeMs > 0 && reasonOf(refusal) === 'device_not_connected');
  assert.deepEqual(
    writers.refusals.filter((refusal) => !isExpected(refusal)),
    [],
  );
  await checkState(fixture, writers.acknowledged, { database, network, server, dataDir: processes.dataDir });
}

interface Environment {
  database: Awaited<ReturnType<typeof startScratchServer>>;
  network: TestNetwork;
  server: ServerProcess;
  dataDir: string;
}

interface Crash {
  from: number;
  to: number;
}

/** A busy server may take this long to detect a broken connection. */
const detectionMs = 500;

/** Requests in flight at the crash may have an unknown result. All others return 503 with Retry-After. */
function isCausedByCrash(refusal: Refusal, crashes: readonly Crash[]): boolean {
  const { answer, sentAt, answeredAt } = refusal;
  if (answer.status === 503) return Number(answer.retryAfter) > 0;
  const hasReason = answer.status === 500 && reasonOf(refusal) !== 'internal';
  return hasReason && crashes.some(({ from, to }) => sentAt < to + detectionMs && answeredAt > from);
}

const reasonOf = ({ answer }: Refusal): string => answer.body.details?.reason;

/** Waits for the outbox, then checks the rows after the processes have stopped. */
async function checkState(
  fixture: PartnerFixture,
  acknowledged: Writers['acknowledged'],
  { database, network, server, dataDir }: Environment,
): Promise<void> {
  const context = await openTestContext(database.url);
  try {
    await assertAcknowledgedWritesExist({ db: context.db, network }, fixture, acknowledged);
    await server.kill();
    const system = { ...context, fileStore: createFileStore(readConfig({ DATA_DIR: dataDir })) };
    await settle(system);
    await assertCountsAreExact(system);
    await assertNothingIsOrphaned(system);
  } finally {
    await context.close();
  }
}

/** Asserts that every request returns 503 with Retry-After. */
async function assertUnavailable(call: Call, fixture: PartnerFixture): Promise<void> {
  await eventually(async () => assert.equal((await call('GET', '/readyz'))?.status, 503));
  const reads = ['/teams', `/bots/${fixture.botId}`, `/devices/${fixture.deviceId}/status`];
  const answers = await Promise.all([
    ...reads.map((path) => call('GET', path)),
    call('POST', '/api/openapi/auth/token', key),
    call('PATCH', `/bots/${fixture.botId}`, { name: 'Till' }),
    call('DELETE', `/bots/${fixture.botId}`),
    ...Object.values(requests).map((request) => request(call, fixture, 0)),
  ]);
  for (const answer of answers)
    assert.deepEqual(summarize(answer), [503, 'Retry-After'], JSON.stringify(answer));
  assert.equal((await call('GET', '/healthz'))?.status, 200);
}

const summarize = (answer: CallResult | null) => [
  answer?.status,
  Number(answer?.retryAfter) > 0 ? 'Retry-After' : 'no Retry-After',
];

/** Waits until reads and all kinds of writes succeed and the device is connected. */
async function waitUntilRecovered(call: Call, fixture: PartnerFixture, since: number): Promise<void> {
  const waitUntilOk = async (request: () => Promise<CallResult | null>) =>
    eventually(
      async () => {
        const answer = await request();
        assert.equal(answer?.status, 200, JSON.stringify(answer));
      },
      since + recoveryMs - performance.now(),
    );
  await Promise.all([
    waitUntilOk(() => call('GET', '/teams')),
    waitUntilOk(() => call('GET', '/readyz')),
    ...Object.values(requests).map((request) => waitUntilOk(() => request(call, fixture, 0))),
  ]);
}
