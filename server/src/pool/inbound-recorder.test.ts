import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { keyedHash } from '../../test/keyed-hash.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { createOwnedDevice, expireLease, transferOwnership } from '../../test/owned-device.ts';
import { promptly } from '../../test/promptly.ts';
import { recordInbound } from '../chat/conversations/inbound.ts';
import { createMediaFiles } from '../chat/messages/media-files.ts';
import type { Ownership } from '../devices/session-state.sql.ts';
import { newId } from '../platform/shared/ids.ts';
import { type InboundMessage, NotOwner } from '../ports/messaging-network/messaging-network.ts';
import { unlimited } from './inbound-budget.ts';
import { createInboundRecorder } from './inbound-recorder.ts';

const context = await startTestContext();
const { db } = context;
const failedBatches: unknown[] = [];
const errors: Record<string, unknown>[] = [];
const logger = {
  warn: (...line: unknown[]) => void failedBatches.push(line),
  error: (line: Record<string, unknown>) => void errors.push(line),
};
const mediaFiles = createMediaFiles(context);
const recorder = createInboundRecorder({ db, keyedHash, mediaFiles, rates: unlimited, logger });

const ownedDevices = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createOwnedDevice(db)));

const contact = '+15550177';

const textMessage = (text: string, networkId = newId()): InboundMessage => ({
  networkId,
  contactNumber: contact,
  fromMe: false,
  sentAt: new Date(),
  content: { kind: 'text', text },
});

const readTexts = async ({ deviceId }: Ownership) => {
  const { rows } = await sql<{ text: string }>`
    select text from messages where device_id = ${deviceId} order by seq`.execute(db);
  return rows.map(({ text }) => text);
};

test('stores messages of many devices in one batch, each once, and makes their conversations due', async () => {
  const owners = await ownedDevices(10);
  const ids = owners.map(() => newId());
  const recordAll = () =>
    Promise.all(owners.map((owner, n) => recorder.record(owner, textMessage(`to ${n}`, ids[n]))));
  const due = await recordAll();
  const { rows } = await sql<{ due: string[]; transactions: number }>`
    select array_agg(c.id order by c.id) as due, count(distinct c.xmin::text)::int as transactions from conversations c
    where c.device_id = any(${owners.map(({ deviceId }) => deviceId)}::uuid[]) and c.answer_due_at is not null`.execute(
    db,
  );
  assert.deepEqual(rows, [{ due: due.toSorted(), transactions: 1 }]);
  assert.ok(
    (await recordAll()).every((conversationId) => conversationId === null),
    'already stored',
  );
  for (const [n, owner] of owners.entries()) assert.deepEqual(await readTexts(owner), [`to ${n}`]);
});

test('a locked conversation delays no other message', async () => {
  const [busy, ...others] = await ownedDevices(4);
  assert.ok(busy);
  await recorder.record(busy, textMessage('before'));
  const waiting = await db.transaction().execute(async (tx) => {
    await sql`select from conversations where device_id = ${busy.deviceId} for update`.execute(tx);
    const before = failedBatches.length;
    const recorded = recorder.record(busy, textMessage('in the meantime'));
    await Promise.all(others.map((owner) => recorder.record(owner, textMessage('hello'))));
    await Promise.all(others.map((owner) => recorder.record(owner, textMessage('again'))));
    assert.deepEqual(
      failedBatches.slice(before),
      [],
      'they were stored in one batch, without a lock timeout',
    );
    await waitForLockWaiter(db);
    assert.deepEqual(await readTexts(busy), ['before']);
    return { recorded };
  });
  await waiting.recorded;
  assert.deepEqual(await readTexts(busy), ['before', 'in the meantime']);
});

test('many locked conversations of one team delay no message of another team', async () => {
  const [busy, other] = await ownedDevices(2);
  assert.ok(busy && other);
  const messages = Array.from({ length: 40 }, (_, n) => ({
    ...textMessage('hello'),
    contactNumber: `+1555${20_000 + n}`,
  }));
  const again = () =>
    Promise.all(messages.map((message) => recorder.record(busy, { ...message, networkId: newId() })));
  await again();
  const waiting = await db.transaction().execute(async (tx) => {
    await sql`select from conversations where device_id = ${busy.deviceId} for update`.execute(tx);
    const recorded = again();
    await waitForLockWaiter(db);
    for (let n = 0; n < 3; n += 1) await promptly(recorder.record(other, textMessage('hello')));
    assert.equal((await readTexts(busy)).length, 40);
    return { recorded };
  });
  await waiting.recorded;
  assert.equal((await readTexts(busy)).length, 80);
});

test('a message that another transaction is storing delays others only briefly', async () => {
  const [busy, ...others] = await ownedDevices(4);
  assert.ok(busy);
  const message = textMessage('hello');
  const waiting = await db.transaction().execute(async (tx) => {
    await recordInbound(tx, busy, message, keyedHash);
    const recorded = [busy, ...others].map((owner) => recorder.record(owner, message));
    await eventually(async () => {
      for (const owner of others) assert.deepEqual(await readTexts(owner), ['hello']);
    }, 5000);
    return { recorded };
  });
  assert.equal((await Promise.all(waiting.recorded))[0], null, 'already stored by then');
  assert.deepEqual(await readTexts(busy), ['hello']);
});

test('rejects messages only for the device that has another owner', async () => {
  const [stale, ...others] = await ownedDevices(3);
  assert.ok(stale);
  await transferOwnership(db, stale);
  const lost = assert.rejects(recorder.record(stale, textMessage('too late')), NotOwner);
  await Promise.all(others.map((owner) => recorder.record(owner, textMessage('in time'))));
  await lost;
  assert.deepEqual(await readTexts(stale), []);
  for (const owner of others) assert.deepEqual(await readTexts(owner), ['in time']);
});

test('rejects a message under an old epoch although the current owner records one in the same batch', async () => {
  const stale = await createOwnedDevice(db);
  await transferOwnership(db, stale);
  const present = { ...stale, epoch: stale.epoch + 1 };
  const late = { ...textMessage('too late'), contactNumber: '+15550178' };
  const lost = assert.rejects(recorder.record(stale, late), NotOwner);
  await recorder.record(present, textMessage('in time'));
  await lost;
  assert.deepEqual(await readTexts(present), ['in time']);
});

test('stores nothing for a pool whose lease has expired', async () => {
  const owner = await createOwnedDevice(db);
  await expireLease(db, owner);
  await assert.rejects(recorder.record(owner, textMessage('too late')), NotOwner);
  assert.deepEqual(await readTexts(owner), []);
});

test('stores a message without content that the database rejects, and all other messages as they are', async () => {
  const [unlucky, person, ...others] = await ownedDevices(4);
  assert.ok(unlucky && person);
  await sql`
    alter table messages add constraint refused
    check (text <> 'refused' or device_id not in (${sql.lit(unlucky.deviceId)}, ${sql.lit(person.deviceId)}))`.execute(
    db,
  );
  const before = errors.length;
  const [due] = await Promise.all([
    recorder.record(unlucky, textMessage('refused', 'its id')),
    recorder.record(person, { ...textMessage('refused', 'their id'), fromMe: true }),
    ...others.map((owner) => recorder.record(owner, textMessage('kept'))),
  ]);
  assert.notEqual(due, null, 'the contact receives a reply that the message could not be read');
  for (const owner of [unlucky, person]) assert.deepEqual(await readTexts(owner), ['']);
  for (const owner of others) assert.deepEqual(await readTexts(owner), ['kept']);
  const logged = errors
    .slice(before)
    .map(({ deviceId, networkId, sqlState }) => ({ deviceId, networkId, sqlState }));
  assert.deepEqual(
    new Set(logged),
    new Set([
      { deviceId: unlucky.deviceId, networkId: 'its id', sqlState: '23514' },
      { deviceId: person.deviceId, networkId: 'their id', sqlState: '23514' },
    ]),
  );
  await recorder.record(unlucky, textMessage('after it'));
  assert.deepEqual(await readTexts(unlucky), ['', 'after it']);
});

test('rejects a message that could not be stored because of an internal error', async () => {
  const owner = await createOwnedDevice(db);
  await sql`alter table conversations rename to conversations_away`.execute(db);
  await assert.rejects(recorder.record(owner, textMessage('hello')), /conversations/);
  await sql`alter table conversations_away rename to conversations`.execute(db);
  assert.deepEqual(await readTexts(owner), []);
});

test('a flood of one contact is stored, answered later and in the end ignored, without delaying others', async () => {
  const [owner] = await ownedDevices(1);
  assert.ok(owner);
  const rates = { perContact: 1, perDevice: 0, maxWaitSeconds: 100 };
  const limited = createInboundRecorder({ db, keyedHash, mediaFiles, rates, logger });
  const flood = Array.from({ length: 150 }, (_, n) => limited.record(owner, textMessage(`${n}`)));
  await Promise.all(flood);
  const media = { kind: 'image', mimeType: 'image/png', bytes: Buffer.from('image'), caption: '' } as const;
  await limited.record(owner, { ...textMessage(''), content: media });
  await limited.record(owner, { ...textMessage('hello'), contactNumber: '+15550178' });
  const { rows } = await sql<{ outcome: string; n: number }>`
    select status || coalesce(' ' || failure, '') as outcome, count(*)::int as n from messages
    where device_id = ${owner.deviceId} and contact_number = ${contact} group by 1 order by 1`.execute(db);
  assert.deepEqual(rows, [
    { outcome: 'ignored rate_limited', n: 149 },
    { outcome: 'received', n: 2 },
  ]);
  const { rows: due } = await sql<{ contact_number: string; due_in: number }>`
    select contact_number, extract(epoch from answer_due_at - last_message_at)::float8 as due_in from conversations
    where device_id = ${owner.deviceId} and contact_number <> ${contact}`.execute(db);
  assert.deepEqual(due, [{ contact_number: '+15550178', due_in: 2 }]);
});
