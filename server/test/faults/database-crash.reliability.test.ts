import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createFileStore } from '../../src/adapters/file-store/create-file-store.ts';
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
  { length: 'shorter than a lease', leaseSeconds: 15, awayMs: 0 },
  { length: 'longer than a lease', leaseSeconds: 1, awayMs: 1_500 },
];
const crashes = repetitions(1, 5);
/** Writes of each kind between two crashes. */
const writesBetween = 3;
/** Five seconds are guaranteed and asserted with FULL_FAULTS=1. Other tests may slow the short run. */
const backWithinMs = repetitions(20_000, 5_000);

const key = { key_id: 'pk_of_the_crash_tests', key_secret: 'sk_of_the_crash_tests' };

for (const { length, leaseSeconds, awayMs } of outages) {
  test(`returns 503 while the database is down, ${length}, and recovers soon after its return`, () =>
    crashDatabase({ leaseSeconds, awayMs }));
}

async function crashDatabase({
  leaseSeconds,
  awayMs,
}: {
  leaseSeconds: number;
  awayMs: number;
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
  const crashing: Crash[] = [];
  for (let crash = 0; crash < crashes; crash += 1) {
    await writers.progress(writesBetween);
    const from = performance.now();
    await database.stop('immediate');
    crashing.push({ from, to: performance.now() });
    await assertAway(call, fixture);
    await delay(awayMs);
    await database.start();
    await assertBack(call, fixture, performance.now());
  }
  await writers.progress(writesBetween);
  await writers.stop();
  assert.equal(server.hasEnded(), false);
  const excused = (refusal: Refusal) =>
    isExcused(refusal, crashing) || (awayMs > 0 && reasonOf(refusal) === 'device_not_connected');
  assert.deepEqual(
    writers.refusals.filter((refusal) => !excused(refusal)),
    [],
  );
  await checkState(fixture, writers.acknowledged, { database, network, server, dataDir: processes.dataDir });
}

interface Rig {
  database: Awaited<ReturnType<typeof startScratchServer>>;
  network: TestNetwork;
  server: ServerProcess;
  dataDir: string;
}

interface Crash {
  from: number;
  to: number;
}

/** A busy server may notice a broken connection this long after a crash. */
const unnoticedMs = 500;

/** Requests in flight at the crash may have an unknown result. All others return 503 with Retry-After. */
function isExcused(refusal: Refusal, crashes: readonly Crash[]): boolean {
  const { answer, sentAt, answeredAt } = refusal;
  if (answer.status === 503) return Number(answer.retryAfter) > 0;
  const named = answer.status === 500 && reasonOf(refusal) !== 'internal';
  return named && crashes.some(({ from, to }) => sentAt < to + unnoticedMs && answeredAt > from);
}

const reasonOf = ({ answer }: Refusal): string => answer.body.details?.reason;

/** Waits for the outbox, then checks the rows after the processes have stopped. */
async function checkState(
  fixture: PartnerFixture,
  acknowledged: Writers['acknowledged'],
  { database, network, server, dataDir }: Rig,
): Promise<void> {
  const context = await openTestContext(database.url);
  try {
    await assertAcknowledgedWritesExist({ db: context.db, network }, fixture, acknowledged);
    await server.kill();
    const system = { ...context, fileStore: createFileStore({ fileStore: 'local', dataDir }) };
    await settle(system);
    await assertCountsAreExact(system);
    await assertNothingIsOrphaned(system);
  } finally {
    await context.close();
  }
}

/** Asserts that every request returns soon, with Retry-After. */
async function assertAway(call: Call, fixture: PartnerFixture): Promise<void> {
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
    assert.deepEqual(said(answer), ['503', 'a time to come again'], JSON.stringify(answer));
  assert.equal((await call('GET', '/healthz'))?.status, 200);
}

const said = (answer: CallResult | null) => [
  String(answer?.status),
  Number(answer?.retryAfter) > 0 ? 'a time to come again' : 'nothing',
];

/** Waits until reads and all kinds of writes succeed and the device is connected. */
async function assertBack(call: Call, fixture: PartnerFixture, since: number): Promise<void> {
  const works = async (request: () => Promise<CallResult | null>) =>
    eventually(
      async () => {
        const answer = await request();
        assert.equal(answer?.status, 200, JSON.stringify(answer));
      },
      since + backWithinMs - performance.now(),
    );
  await Promise.all([
    works(() => call('GET', '/teams')),
    works(() => call('GET', '/readyz')),
    ...Object.values(requests).map((request) => works(() => request(call, fixture, 0))),
  ]);
}
