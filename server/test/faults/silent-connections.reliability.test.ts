import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { startBlackholeProxy } from '../blackhole-proxy.ts';
import { eventually } from '../eventually.ts';
import { startReplicatedServer } from '../replicated-server.ts';
import { startScratchServer } from '../scratch-server.ts';
import { createDeployment } from '../start-stop/deployment.ts';
import {
  answer,
  createLinkedBot,
  question,
  received,
  signIn,
  waitUntilReceived,
  write,
} from '../start-stop/linked-bot.ts';
import { repetitions } from './repetitions.ts';

/** FULL_FAULTS=1 asserts the documented times. The short run allows more, because other tests run beside it. */
const answerWithinMs = repetitions(60_000, 12_000);
const responseWithinMs = repetitions(30_000, 10_000);

test('goes on within seconds after all database connections fell silent', async (t) => {
  const server = await startScratchServer();
  after(() => server.remove());
  const line = await startBlackholeProxy(server.url);
  after(() => line.close());
  await assertGoesOnAfter(line.url, async () => line.dropTraffic(), t);
});

test('goes on within seconds after connections fell silent and a standby was promoted behind a proxy', async (t) => {
  const database = await startReplicatedServer();
  after(() => database.remove());
  await assertGoesOnAfter(database.url, database.failOverSilently, t);
});

/** Silences the connections of a server with all roles while it reads, and while a contact waits for an answer. */
async function assertGoesOnAfter(
  url: string,
  silence: () => Promise<void>,
  t: Pick<TestContext, 'diagnostic'>,
): Promise<void> {
  const deployment = await createDeployment();
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
  const program = await deployment.start({ DATABASE_URL: url, ENCRYPTION_KEY, LEASE_SECONDS: '6' });
  const partner = await signIn(program);
  const { deviceId } = await createLinkedBot(partner);
  await write(partner, question);
  await waitUntilReceived(partner, answer);

  const silentAt = performance.now();
  const silenced = silence();
  const since = () => Math.round(performance.now() - silentAt);
  await write(partner, question);
  const reads = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await fetch(`${program.url}/api/openapi/v1/devices/${deviceId}`, {
        headers: { authorization: `Bearer ${partner.token()}` },
      });
      await response.arrayBuffer();
      return { status: response.status, ms: since() };
    }),
  );
  await silenced;
  t.diagnostic(`the first read: ${JSON.stringify(reads[0])}`);
  for (const { status, ms } of reads) {
    assert.ok(status === 200 || status === 503, `status ${status}`);
    assert.ok(ms < responseWithinMs, `a read took ${ms} ms`);
  }
  await eventually(async () => assert.deepEqual(await received(partner), [answer, answer]), answerWithinMs);
  t.diagnostic(`the answer arrived after ${since()} ms`);
  assert.ok(since() < answerWithinMs);
  await eventually(async () => assert.equal((await fetch(`${program.url}/readyz`)).status, 200), 30_000);
  await program.stop();
}
