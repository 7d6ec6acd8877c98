import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestContext } from '../../../test/harness.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { NewMessage } from './accept.queries.ts';
import { createAcceptBatch } from './accept-batch.ts';
import { toNetworkId } from './delivery-attempt.ts';

const { db } = await startTestContext();
const accept = createAcceptBatch(db);
const month = '2026-11-01';
const poolId = newId();
await sql`
  insert into pools (id, url, capacity, lease_until) values (${poolId}, 'http://pool', 99, now() + interval '1 day')`.execute(
  db,
);

interface Sender {
  teamId: string;
  deviceId: string;
}

/** A connected device of a team that has sent a message this month, or none. */
async function addSender({ used = 1 }: { used?: number | null } = {}): Promise<Sender> {
  const { teamId, botId } = await addTeamWithBot(db, { plan: 'starter' });
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', true, ${poolId}, 'http://pool')`.execute(db);
  if (used !== null) {
    await sql`insert into monthly_usage (team_id, month, active_messages) values (${teamId}, ${month}, ${used})`.execute(
      db,
    );
  }
  return { teamId, deviceId };
}

function newMessage({ deviceId }: Sender, values: Partial<NewMessage> = {}): NewMessage {
  const id = newId();
  return {
    id,
    networkId: toNetworkId(id),
    deviceId,
    scope: { kind: 'all' },
    month,
    contactNumber: '+15550199',
    contactHash: '',
    kind: 'text',
    text: 'Your bicycle is ready',
    generation: null,
    whenRestricted: 'refuse',
    audit: null,
    template: null,
    choices: null,
    ...values,
  };
}

const acceptAll = async (messages: readonly NewMessage[]) =>
  (await Promise.all(messages.map(accept))).map((row) => row?.used_after);

async function usedBy({ teamId }: Sender): Promise<number | undefined> {
  const { rows } = await sql<{ used: number }>`
    select active_messages as used from monthly_usage where team_id = ${teamId}`.execute(db);
  return rows[0]?.used;
}

async function textsOf({ deviceId }: Sender): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select text from messages where device_id = ${deviceId} order by seq`.execute(db);
  return rows.map(({ text }) => text);
}

/** Counts the transactions that wrote the messages. */
async function countTransactions(messages: readonly NewMessage[]): Promise<number> {
  const { rows } = await sql`
    select distinct xmin::text from messages where id = any(${messages.map(({ id }) => id)}::uuid[])`.execute(
    db,
  );
  return rows.length;
}

test('accepts messages of several teams in one statement, each with its own charge and in order', async () => {
  const [first, second, fresh] = [await addSender(), await addSender(), await addSender({ used: null })];
  const messages = [
    newMessage(first, { text: 'one' }),
    newMessage(second),
    newMessage(first, { text: 'two' }),
    newMessage(fresh),
    newMessage(first, { text: 'three' }),
  ];
  assert.deepEqual(await acceptAll(messages), [2, 2, 3, 1, 4]);
  assert.deepEqual([await usedBy(first), await usedBy(second), await usedBy(fresh)], [4, 2, 1]);
  assert.deepEqual(await textsOf(first), ['one', 'two', 'three']);
  assert.equal(await countTransactions(messages), 1);
});

test('applies the scope and state of each message, without a charge', async () => {
  const [sender, banned] = [await addSender(), await addSender()];
  await sql`update teams set banned = true where id = ${banned.teamId}`.execute(db);
  const ownScope = { kind: 'team', teamId: sender.teamId } as const;
  const charges = await acceptAll([
    newMessage(sender, { scope: ownScope }),
    newMessage(sender, { scope: { kind: 'team', teamId: banned.teamId } }),
    newMessage({ ...sender, deviceId: newId() }),
    newMessage(banned),
  ]);
  assert.deepEqual(charges, [2, undefined, undefined, null]);
  assert.deepEqual([await usedBy(sender), await usedBy(banned)], [2, 1]);
});

test('accepts as many messages as the month has left, without delaying or refusing another team', async () => {
  const [nearlyUsedUp, other] = [await addSender({ used: 103 }), await addSender()];
  const charges = await acceptAll([
    ...Array.from({ length: 5 }, () => newMessage(nearlyUsedUp)),
    newMessage(other),
  ]);
  assert.deepEqual(charges.slice(0, 5).toSorted(), [104, 105, null, null, null]);
  assert.equal(charges[5], 2);
  assert.equal(await usedBy(nearlyUsedUp), 105);
  assert.equal((await textsOf(nearlyUsedUp)).length, 2);
});

test('accepts messages of other teams together while a transaction holds the month of one', async () => {
  const [held, other, another] = [await addSender(), await addSender(), await addSender()];
  const others = [newMessage(other), newMessage(another)];
  const waiting = await db.transaction().execute(async (tx) => {
    await sql`select from monthly_usage where team_id = ${held.teamId} for update`.execute(tx);
    const delayed = accept(newMessage(held));
    assert.deepEqual(await acceptAll(others), [2, 2]);
    return { delayed };
  });
  assert.equal(await countTransactions(others), 1);
  assert.equal((await waiting.delayed)?.used_after, 2);
});

test('accepts the messages of other teams when a team is deleted meanwhile', async () => {
  const [deleted, other] = [await addSender({ used: null }), await addSender()];
  const waiting = await db.transaction().execute(async (tx) => {
    await sql`delete from teams where id = ${deleted.teamId}`.execute(tx);
    const charges = acceptAll([newMessage(deleted), newMessage(other)]);
    await waitForLockWaiter(db, 'with facts');
    return { charges };
  });
  assert.deepEqual(await waiting.charges, [undefined, 2]);
});

test('does not repeat a statement whose outcome is unknown', async () => {
  const [sender, other] = [await addSender(), await addSender()];
  await sql`
    create function cut_connection() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(db);
  await sql`
    create trigger cut_connection before insert on messages for each row when (new.text = 'cut')
    execute function cut_connection()`.execute(db);
  const results = await Promise.allSettled([
    accept(newMessage(sender, { text: 'cut' })),
    accept(newMessage(other)),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  // The next statement may still get the broken connection.
  const [used, texts] = await eventually(() => Promise.all([usedBy(other), textsOf(other)]));
  assert.deepEqual([used, texts], [1, []]);
});
