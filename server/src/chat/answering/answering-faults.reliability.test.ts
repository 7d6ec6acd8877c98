import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { saying } from '../../../test/steps.ts';
import type { AssistantStep } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { claimDue } from '../conversations/claims.sql.ts';

const app = await startChatApp();
const { context } = app;
const { db } = context;

const contact = '+15550199';
const answering = (text: string) => ({ provider: { step: async () => saying(text) } });

/** A provider that answers on demand. */
function waitingProvider(text: string) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const step = async () => {
    asked.resolve();
    await gate.promise;
    return saying(text);
  };
  return { provider: { step }, asked: asked.promise, open: gate.resolve };
}

/** Expires the lease of the worker's claim. */
const expireClaim = (desk: ChatDevice) =>
  sql`update conversations set claimed_until = now() - interval '1 second' where device_id = ${desk.deviceId}`.execute(
    db,
  );

const answersOf = (desk: ChatDevice) =>
  db.selectFrom('answers').selectAll().where('device_id', '=', desk.deviceId).execute();

test('a worker whose claim was taken over writes nothing', async () => {
  const desk = await app.addDevice();
  const slow = waitingProvider('too late');
  // With concurrency 1 it claims nothing meanwhile, not even this conversation again. Its next renewal is far away.
  const first = app.startAnswering({ ...slow, concurrency: 1, leaseSeconds: 600 });
  await app.write(desk, contact, 'Hello?');
  await slow.asked;
  await expireClaim(desk);
  const second = app.startAnswering(answering('in time'));
  await app.untilReplied(desk, contact);
  slow.open();
  await Promise.all([first.close(), second.close()]);
  assert.deepEqual(await app.untilReplied(desk, contact), ['in time']);
  assert.equal((await answersOf(desk)).length, 1);
  assert.equal(await app.creditsUsed(desk), 1);
});

test('a worker aborts its answer when it loses the claim', async () => {
  const desk = await app.addDevice();
  const stopped = Promise.withResolvers<Error>();
  let asked = false;
  const step = async (_: unknown, signal: AbortSignal): Promise<AssistantStep> => {
    asked = true;
    if (!signal.aborted) await once(signal, 'abort');
    stopped.resolve(signal.reason);
    throw signal.reason;
  };
  const worker = app.startAnswering({ provider: { step }, leaseSeconds: 0.3, answerTimeoutMs: 5000 });
  await app.write(desk, contact, 'Hello?');
  // From here on, the time limit of the answer bounds the wait for `stopped`.
  await eventually(async () => assert.ok(asked));
  await sql`update conversations set claim_fence = claim_fence + 1, answer_due_at = null
            where device_id = ${desk.deviceId}`.execute(db);
  assert.equal((await stopped.promise).name, 'ClaimLost');
  await worker.close();
});

test('a worker that claims a conversation again aborts its earlier answer', async () => {
  const desk = await app.addDevice();
  const stopped = Promise.withResolvers<Error>();
  let asked = 0;
  const step = async (_: unknown, signal: AbortSignal): Promise<AssistantStep> => {
    asked += 1;
    if (asked > 1) return saying('in time');
    await expireClaim(desk);
    if (!signal.aborted) await once(signal, 'abort');
    stopped.resolve(signal.reason);
    return saying('too late');
  };
  // The next renewal, which would also detect the loss, is far away.
  const worker = app.startAnswering({ provider: { step }, leaseSeconds: 60, answerTimeoutMs: 5000 });
  await app.write(desk, contact, 'Hello?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['in time']);
  assert.equal((await stopped.promise).name, 'ClaimLost');
  await worker.close();
  assert.equal(await app.creditsUsed(desk), 1);
});

test('renews a claim while its worker lives, however long the answer takes', async () => {
  const desk = await app.addDevice();
  const slow = waitingProvider('at last');
  const first = app.startAnswering({ ...slow, leaseSeconds: 2 });
  await app.write(desk, contact, 'Hello?');
  await slow.asked;
  const second = app.startAnswering(answering('stolen'));
  const { claimed_until: before, claim_fence: fence } = await app.readConversation(desk, contact);
  await eventually(async () => {
    // Long enough for the other worker to poll several times.
    const { rows } = await sql<{ passed: boolean }>`
      select now() > ${before}::timestamptz + interval '0.5 seconds' as passed`.execute(db);
    assert.deepEqual(rows, [{ passed: true }]);
  });
  // No worker has claimed it again, not even the first one.
  assert.equal((await app.readConversation(desk, contact)).claim_fence, fence);
  slow.open();
  assert.deepEqual(await app.untilReplied(desk, contact), ['at last']);
  await Promise.all([first.close(), second.close()]);
});

test('another worker answers the claims of a killed worker once, after the lease', async () => {
  const desk = await app.addDevice();
  await app.write(desk, contact, 'Hello?');
  await eventually(async () =>
    assert.equal((await claimDue(db, { limit: 10, leaseSeconds: 0.5 })).claims.length, 1),
  );
  const worker = app.startAnswering(answering('here'));
  assert.deepEqual(await app.untilReplied(desk, contact), ['here']);
  await worker.close();
  assert.equal((await answersOf(desk)).length, 1);
});

test('a message that arrives during an answer gets its own answer', async () => {
  const desk = await app.addDevice();
  const slow = waitingProvider('an answer');
  const worker = app.startAnswering(slow);
  await app.write(desk, contact, 'One?');
  await slow.asked;
  await app.write(desk, contact, 'Two?');
  slow.open();
  await app.untilReplied(desk, contact, 2);
  await worker.close();
  assert.deepEqual(
    (await app.readChat(desk, contact)).map(({ direction, status }) => `${direction} ${status}`),
    ['in answered', 'in answered', 'out accepted', 'out accepted'],
  );
  assert.equal((await answersOf(desk)).length, 2);
});

test('retries a failed provider after a delay and charges nothing for the failure', async () => {
  const desk = await app.addDevice();
  let calls = 0;
  const step = async () => {
    calls += 1;
    if (calls === 1) throw new ProviderError('transient', 'away');
    return saying('back again');
  };
  const worker = app.startAnswering({ provider: { step } });
  await app.write(desk, contact, 'Hello?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['back again']);
  await worker.close();
  assert.equal(calls, 2);
  assert.equal(await app.creditsUsed(desk), 1);
  assert.equal((await app.readConversation(desk, contact)).attempts, 0);
});

test('flags a provider that keeps failing and stops in the end without losing the message', async () => {
  const desk = await app.addDevice();
  const failing = { provider: { step: () => Promise.reject(new ProviderError('transient', 'no')) } };
  await app.write(desk, contact, 'Hello?');
  const attempt = async (attempts: number) => {
    await sql`update conversations set attempts = ${attempts}, claimed_until = null
              where device_id = ${desk.deviceId}`.execute(db);
    const worker = app.startAnswering(failing);
    await eventually(async () =>
      assert.equal((await app.readConversation(desk, contact)).flag, 'provider_failed'),
    );
    await worker.close();
    return app.readConversation(desk, contact);
  };
  const flagged = await attempt(4);
  assert.notEqual(flagged.answer_due_at, null);
  await sql`update conversations set flag = null where device_id = ${desk.deviceId}`.execute(db);
  const rested = await attempt(39);
  assert.deepEqual([rested.answer_due_at, rested.attempts], [null, 0]);
  assert.deepEqual(
    (await app.readChat(desk, contact)).map(({ status }) => status),
    ['received'],
  );
  await app.write(desk, contact, 'Still there?');
  const worker = app.startAnswering(answering('now'));
  await app.untilReplied(desk, contact);
  await worker.close();
  assert.equal((await app.readConversation(desk, contact)).flag, null);
});

test('aborts an answer at its time limit', async () => {
  const desk = await app.addDevice();
  const never = { provider: { step: () => new Promise<never>(() => undefined) } };
  const worker = app.startAnswering({ ...never, answerTimeoutMs: 30 });
  await app.write(desk, contact, 'Hello?');
  await eventually(async () => {
    const { attempts, claimed_until } = await app.readConversation(desk, contact);
    assert.equal(attempts, 1);
    assert.ok(
      (claimed_until?.getTime() ?? 0) < Date.now() + 3000,
      'postponed instead of claimed until its lease expires',
    );
  });
  await worker.close();
});

test('closing releases the claims of unfinished answers', async () => {
  const desk = await app.addDevice();
  const slow = waitingProvider('never');
  const worker = app.startAnswering(slow);
  await app.write(desk, contact, 'Hello?');
  await slow.asked;
  await worker.close();
  const { attempts, claimed_until } = await app.readConversation(desk, contact);
  assert.deepEqual([attempts, claimed_until], [0, null]);
  const next = app.startAnswering(answering('here'));
  assert.deepEqual(await app.untilReplied(desk, contact), ['here']);
  slow.open();
  await next.close();
  assert.equal((await answersOf(desk)).length, 1);
});
