import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { createOwnedDevice, expireLease, transferOwnership } from '../../test/owned-device.ts';
import { type InboundMessage, NotOwner } from '../adapters/messaging-network/messaging-network.ts';
import { recordInbound } from '../conversations/inbound.ts';
import type { Ownership } from '../devices/session-state.sql.ts';
import { newId } from '../shared/ids.ts';
import { createInboundRecorder } from './inbound-recorder.ts';

const context = await startTestContext();
const { db } = context;
/** Batches that failed, of which each message was then tried on its own. */
const failedBatches: unknown[] = [];
const errors: Record<string, unknown>[] = [];
const receiving = createInboundRecorder({
  db,
  logger: {
    warn: (...line: unknown[]) => void failedBatches.push(line),
    error: (line: Record<string, unknown>) => void errors.push(line),
  },
});

const ownedDevices = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createOwnedDevice(db)));

const contact = '+15550177';

const saying = (text: string, networkId = newId()): InboundMessage => ({
  networkId,
  contactNumber: contact,
  fromMe: false,
  sentAt: new Date(),
  content: { kind: 'text', text },
});

const textsOf = async ({ deviceId }: Ownership) => {
  const { rows } = await sql<{ text: string }>`
    select text from messages where device_id = ${deviceId} order by seq`.execute(db);
  return rows.map(({ text }) => text);
};

test('messages that come together to many devices are kept together, each once, and make their conversations due', async () => {
  const owners = await ownedDevices(10);
  const ids = owners.map(() => newId());
  const bring = () =>
    Promise.all(owners.map((owner, n) => receiving.record(owner, saying(`to ${n}`, ids[n]))));
  const due = await bring();
  const { rows } = await sql<{ due: string[]; transactions: number }>`
    select array_agg(c.id order by c.id) as due, count(distinct c.xmin::text)::int as transactions from conversations c
    where c.device_id = any(${owners.map(({ deviceId }) => deviceId)}::uuid[]) and c.answer_due_at is not null`.execute(
    db,
  );
  assert.deepEqual(rows, [{ due: due.toSorted(), transactions: 1 }]);
  assert.ok(
    (await bring()).every((conversationId) => conversationId === null),
    'known already',
  );
  for (const [n, owner] of owners.entries()) assert.deepEqual(await textsOf(owner), [`to ${n}`]);
});

test('a conversation that somebody has locked keeps no other message waiting', async () => {
  const [busy, ...others] = await ownedDevices(4);
  assert.ok(busy);
  await receiving.record(busy, saying('before'));
  const waiting = await db.transaction().execute(async (tx) => {
    await sql`select from conversations where device_id = ${busy.deviceId} for update`.execute(tx);
    const before = failedBatches.length;
    const recorded = receiving.record(busy, saying('in the meantime'));
    await Promise.all(others.map((owner) => receiving.record(owner, saying('hello'))));
    await Promise.all(others.map((owner) => receiving.record(owner, saying('again'))));
    assert.deepEqual(
      failedBatches.slice(before),
      [],
      'they were kept together, and not when patience was over',
    );
    await waitForLockWaiter(db);
    assert.deepEqual(await textsOf(busy), ['before']);
    return { recorded };
  });
  await waiting.recorded;
  assert.deepEqual(await textsOf(busy), ['before', 'in the meantime']);
});

test('a message that somebody else is just keeping does not keep others waiting for long', async () => {
  const [busy, ...others] = await ownedDevices(4);
  assert.ok(busy);
  const message = saying('hello');
  const waiting = await db.transaction().execute(async (tx) => {
    await recordInbound(tx, busy, message);
    const recorded = [busy, ...others].map((owner) => receiving.record(owner, message));
    await eventually(async () => {
      for (const owner of others) assert.deepEqual(await textsOf(owner), ['hello']);
    }, 5000);
    return { recorded };
  });
  assert.equal((await Promise.all(waiting.recorded))[0], null, 'known by then');
  assert.deepEqual(await textsOf(busy), ['hello']);
});

test('a device that is another’s by now loses its messages alone', async () => {
  const [stale, ...others] = await ownedDevices(3);
  assert.ok(stale);
  await transferOwnership(db, stale);
  const lost = assert.rejects(receiving.record(stale, saying('too late')), NotOwner);
  await Promise.all(others.map((owner) => receiving.record(owner, saying('in time'))));
  await lost;
  assert.deepEqual(await textsOf(stale), []);
  for (const owner of others) assert.deepEqual(await textsOf(owner), ['in time']);
});

test('a message under an old epoch is refused, though the device’s present owner brings one at the same time', async () => {
  const stale = await createOwnedDevice(db);
  await transferOwnership(db, stale);
  const present = { ...stale, epoch: stale.epoch + 1 };
  const late = { ...saying('too late'), contactNumber: '+15550178' };
  const lost = assert.rejects(receiving.record(stale, late), NotOwner);
  await receiving.record(present, saying('in time'));
  await lost;
  assert.deepEqual(await textsOf(present), ['in time']);
});

test('a pool whose lease is over keeps nothing', async () => {
  const owner = await createOwnedDevice(db);
  await expireLease(db, owner);
  await assert.rejects(receiving.record(owner, saying('too late')), NotOwner);
  assert.deepEqual(await textsOf(owner), []);
});

test('a message whose content the database refuses is kept without it, and nothing else is harmed', async () => {
  const [unlucky, person, ...others] = await ownedDevices(4);
  assert.ok(unlucky && person);
  await sql`
    alter table messages add constraint refused
    check (text <> 'refused' or device_id not in (${sql.lit(unlucky.deviceId)}, ${sql.lit(person.deviceId)}))`.execute(
    db,
  );
  const before = errors.length;
  const [due] = await Promise.all([
    receiving.record(unlucky, saying('refused', 'its id')),
    receiving.record(person, { ...saying('refused', 'their id'), fromMe: true }),
    ...others.map((owner) => receiving.record(owner, saying('kept'))),
  ]);
  assert.notEqual(due, null, 'the contact hears that it could not be read');
  for (const owner of [unlucky, person]) assert.deepEqual(await textsOf(owner), ['']);
  for (const owner of others) assert.deepEqual(await textsOf(owner), ['kept']);
  const told = errors
    .slice(before)
    .map(({ deviceId, networkId, sqlState }) => ({ deviceId, networkId, sqlState }));
  assert.deepEqual(
    new Set(told),
    new Set([
      { deviceId: unlucky.deviceId, networkId: 'its id', sqlState: '23514' },
      { deviceId: person.deviceId, networkId: 'their id', sqlState: '23514' },
    ]),
  );
  await receiving.record(unlucky, saying('after it'));
  assert.deepEqual(await textsOf(unlucky), ['', 'after it']);
});

test('a message that cannot be kept for reasons of ours is not confirmed', async () => {
  const owner = await createOwnedDevice(db);
  await sql`alter table conversations rename to conversations_away`.execute(db);
  await assert.rejects(receiving.record(owner, saying('hello')), /conversations/);
  await sql`alter table conversations_away rename to conversations`.execute(db);
  assert.deepEqual(await textsOf(owner), []);
});
