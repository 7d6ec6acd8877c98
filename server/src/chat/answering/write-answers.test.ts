import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { saying } from '../../../test/steps.ts';
import type { AssistantStep } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import { type Claim, claimDue } from '../conversations/claims.sql.ts';
import { selectConversationContexts } from './conversation-context.queries.ts';
import { createAnswerWriter, type FinishedAnswer } from './write-answers.ts';

const app = await startChatApp();
const { context, bots } = app;
const { db, clock } = context;

const contactsOf = (count: number) => Array.from({ length: count }, (_, n) => `+1555020${1000 + n}`);

/** A worker whose answers wait for `open`. `asked` resolves when this many have started. */
function startGatedAnswering(count: number) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const step = async (): Promise<AssistantStep> => {
    waiting += 1;
    if (waiting === count) asked.resolve();
    await gate.promise;
    return saying('together');
  };
  const worker = app.startAnswering({ provider: { step } });
  return { worker, asked: asked.promise, open: () => gate.resolve() };
}

/** Counts the answers of these devices and the transactions that wrote them. */
async function writtenFor(desks: readonly ChatDevice[]) {
  const { rows } = await sql<{ answers: number; transactions: number }>`
    select count(*)::int as answers, count(distinct xmin::text)::int as transactions from answers
    where device_id = any(${desks.map(({ deviceId }) => deviceId)}::uuid[])`.execute(db);
  return rows[0];
}

test('writes answers that end together in one batch, each once and charged exactly', async () => {
  const desks = [await app.addDevice(), await app.addDevice()];
  const contacts = contactsOf(10);
  const gated = startGatedAnswering(20);
  for (const desk of desks) for (const contact of contacts) await app.write(desk, contact, 'Hello?');
  await gated.asked;
  gated.open();
  for (const desk of desks) {
    for (const contact of contacts) {
      assert.deepEqual(await app.untilReplied(desk, contact), ['together']);
    }
    assert.equal(await app.creditsUsed(desk), 10);
  }
  await gated.worker.close();
  const written = await writtenFor(desks);
  assert.equal(written?.answers, 20);
  assert.ok(Number(written?.transactions) < 10, `${written?.transactions} transactions`);
});

test('a locked conversation delays no other answer', async () => {
  const desk = await app.addDevice();
  const [locked = '', ...others] = contactsOf(4);
  const gated = startGatedAnswering(4);
  for (const contact of [locked, ...others]) await app.write(desk, contact, 'Hello?');
  await gated.asked;
  await db.transaction().execute(async (tx) => {
    const { id } = await app.readConversation(desk, locked);
    await sql`select from conversations where id = ${id} for update`.execute(tx);
    gated.open();
    for (const contact of others) await app.untilReplied(desk, contact);
    await app.untilReplied(desk, locked, 0);
    const written = await writtenFor([desk]);
    assert.equal(written?.answers, 3);
    assert.ok(Number(written?.transactions) < 3, 'the others are written in one batch');
  });
  assert.deepEqual(await app.untilReplied(desk, locked), ['together']);
  await gated.worker.close();
});

test('locked credits of a team delay other teams’ answers only briefly', async () => {
  const [locked, other] = [await app.addDevice(), await app.addDevice()];
  const [contact = ''] = contactsOf(1);
  const gated = startGatedAnswering(2);
  await sql`insert into monthly_usage (team_id, month) values (${locked.teamId}, ${toMonth(clock.now())})`.execute(
    db,
  );
  for (const desk of [locked, other]) await app.write(desk, contact, 'Hello?');
  await gated.asked;
  await db.transaction().execute(async (tx) => {
    await sql`select from monthly_usage where team_id = ${locked.teamId} for update`.execute(tx);
    gated.open();
    await app.untilReplied(other, contact);
    await app.untilReplied(locked, contact, 0);
  });
  assert.deepEqual(await app.untilReplied(locked, contact), ['together']);
  await gated.worker.close();
  assert.equal(await app.creditsUsed(locked), 1);
});

test('a team without credits does not fail other teams’ answers', async () => {
  const [poor, rich] = [await app.addDevice(), await app.addDevice()];
  await sql`update teams set quota_credits = 1 where id = ${poor.teamId}`.execute(db);
  const contacts = contactsOf(3);
  const gated = startGatedAnswering(6);
  for (const desk of [poor, rich]) for (const contact of contacts) await app.write(desk, contact, 'Hello?');
  await gated.asked;
  gated.open();
  for (const contact of contacts) await app.untilReplied(rich, contact);
  await eventually(async () => {
    const flags = await Promise.all(
      contacts.map(async (contact) => (await app.readConversation(poor, contact)).flag),
    );
    assert.deepEqual(flags.sort(), [null, 'out_of_credits', 'out_of_credits'].sort());
  });
  await gated.worker.close();
  assert.deepEqual([await app.creditsUsed(poor), await app.creditsUsed(rich)], [1, 3]);
  assert.equal((await writtenFor([poor]))?.answers, 1);
});

/** Claims the device's conversation, even when it is claimed. */
async function claimOf(desk: ChatDevice): Promise<Claim> {
  await sql`update conversations set claimed_until = null where device_id = ${desk.deviceId}`.execute(db);
  // Due times are rounded to milliseconds, sometimes into the future.
  const claim = await eventually(
    async () => (await claimDue(db, { limit: 1, leaseSeconds: 15 })).claims[0] ?? assert.fail('not due yet'),
  );
  assert.equal(claim.deviceId, desk.deviceId);
  return claim;
}

/** Answers the first unanswered message with `text` for one credit. */
async function finishedAnswer(claim: Claim, desk: ChatDevice, text: string): Promise<FinishedAnswer> {
  const bot = await bots.load(desk.botId);
  const [loaded] = await selectConversationContexts(db, [claim], { month: '2026-11-01', images: false });
  const [message] = loaded?.unanswered ?? [];
  assert.ok(bot !== null && message !== undefined);
  return {
    claim,
    bot,
    messages: [{ ...message, receipt: null, unreadable: null }],
    reply: {
      text,
      answered: true,
      credits: 1,
      flag: null,
      pauseMinutes: null,
      trace: {},
      usage: [],
      notice: null,
      count: null,
    },
    parts: [{ text }],
  };
}

test('of two claims on a conversation that end together, writes and charges only the valid one', async () => {
  const desk = await app.addDevice();
  const [contact = ''] = contactsOf(1);
  await app.write(desk, contact, 'Hello?');
  const answers = [
    await finishedAnswer(await claimOf(desk), desk, 'too late'),
    await finishedAnswer(await claimOf(desk), desk, 'in time'),
  ];
  const writer = createAnswerWriter({ ...context, prices: context.config.MODEL_PRICES });
  assert.deepEqual(await Promise.all(answers.map((answer) => writer.write(answer))), [
    { outcome: 'lost' },
    { outcome: 'written', due: false },
  ]);
  assert.deepEqual(await app.untilReplied(desk, contact), ['in time']);
  assert.equal((await writtenFor([desk]))?.answers, 1);
  assert.equal(await app.creditsUsed(desk), 1);
});

test('does not write an answer again under its ended claim', async () => {
  const desk = await app.addDevice();
  const [contact = ''] = contactsOf(1);
  await app.write(desk, contact, 'Hello?');
  const finished = await finishedAnswer(await claimOf(desk), desk, 'once');
  const writer = createAnswerWriter({ ...context, prices: context.config.MODEL_PRICES });
  assert.deepEqual(await writer.write(finished), { outcome: 'written', due: false });
  assert.deepEqual(await writer.write(finished), { outcome: 'lost' });
  assert.deepEqual(await app.untilReplied(desk, contact), ['once']);
});
