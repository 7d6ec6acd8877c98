import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startSendingApp } from '../../../test/senders.ts';
import { newId } from '../../platform/shared/ids.ts';
import { copyConsents } from './consents.sql.ts';

const app = await startSendingApp();
const { api, addSender, network, send, usedBy } = app;
const { db } = app.context;

type Sender = Awaited<ReturnType<typeof addSender>>;

const pathOf = (contact: string) => `/contacts/${encodeURIComponent(contact)}/consents`;

const readConsent = async ({ teamId }: Sender, contact: string) =>
  (await api('GET', `${pathOf(contact)}?team_id=${teamId}`)).body.data[0];

const put = ({ teamId }: Sender, contact: string, members: object) =>
  api('PUT', pathOf(contact), { body: { team_id: teamId, ...members } });

async function write({ phone, deviceId }: Sender, contact: string, text: string): Promise<void> {
  const count = async () =>
    (await sql`select from messages where device_id = ${deviceId} and direction = 'in'`.execute(db)).rows
      .length;
  const before = await count();
  await network.write({ from: contact, to: phone, text });
  await eventually(async () => assert.equal(await count(), before + 1));
}

const reasonOf = async (sending: ReturnType<typeof send>) => (await sending).body.details?.reason;

async function eventsOf({ teamId }: Sender): Promise<[string, unknown][]> {
  const { rows } = await sql<{ type: string; source: unknown }>`
    select type, data -> 'source' as source from events where team_id = ${teamId} and type like 'contact.%'
    order by xid, seq`.execute(db);
  return rows.map(({ type, source }) => [type, source]);
}

test('a contact who writes STOP gets no active message until it writes START', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  const to = { destination_number: contact };
  assert.deepEqual(await readConsent(sender, contact), {
    team_id: sender.teamId,
    kind: 'active_messages',
    state: 'unknown',
    source: null,
    decided_at: null,
    proof: null,
  });
  assert.equal((await send(sender, to)).status, 200);
  await write(sender, contact, 'Stop!');
  const consent = await readConsent(sender, contact);
  assert.deepEqual([consent.state, consent.source], ['out', 'contact']);
  assert.match(consent.proof, /^[0-9a-f-]{36}$/);
  const refused = await send(sender, to);
  assert.deepEqual([refused.status, refused.body.details], [400, { reason: 'recipient_opted_out' }]);
  assert.equal(await usedBy(sender.teamId), 1);
  await write(sender, contact, 'stop, the bike does not brake');
  await write(sender, contact, 'START');
  assert.equal((await readConsent(sender, contact)).state, 'in');
  assert.equal((await send(sender, to)).status, 200);
  assert.deepEqual(await eventsOf(sender), [
    ['contact.opted_out', 'contact'],
    ['contact.opted_in', 'contact'],
  ]);
});

test('START decides nothing unless the contact had opted out', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  await write(sender, contact, 'start');
  assert.equal((await readConsent(sender, contact)).state, 'unknown');
  assert.deepEqual(await eventsOf(sender), []);
});

test('an opt-out concerns one team and one contact', async () => {
  const [sender, other, contact] = [await addSender(), await addSender(), newPhone()];
  await write(sender, contact, 'baja');
  assert.equal(await reasonOf(send(sender, { destination_number: contact })), 'recipient_opted_out');
  assert.equal((await send(other, { destination_number: contact })).status, 200);
  assert.equal((await send(sender, { destination_number: newPhone() })).status, 200);
});

test('nobody but the contact undoes its opt-out', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  await write(sender, contact, 'stop');
  for (const state of ['in', 'unknown']) {
    const { status, body } = await put(sender, contact, { state });
    assert.deepEqual([status, body.details.reason], [400, 'contact_opted_out']);
  }
  assert.equal((await put(sender, contact, { state: 'out' })).body.data[0].source, 'contact');
});

test('a request decides for a contact, and can undo what a request decided', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  const out = await put(sender, contact, { state: 'out', source: 'console', proof: 'a letter' });
  assert.equal(out.status, 200);
  assert.deepEqual([out.body.data[0].source, out.body.data[0].proof], ['console', 'a letter']);
  assert.equal(await reasonOf(send(sender, { destination_number: contact })), 'recipient_opted_out');
  assert.equal((await put(sender, contact, { state: 'in' })).status, 200);
  assert.equal((await send(sender, { destination_number: contact })).status, 200);
  assert.deepEqual(await eventsOf(sender), [
    ['contact.opted_out', 'console'],
    ['contact.opted_in', 'api'],
  ]);
});

test('a message that was accepted before the opt-out is refused and refunded, once', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  await sql`
    update devices set new_chats_restricted_until = now() - interval '1 second' + interval '1 hour' where id = ${sender.deviceId}`.execute(
    db,
  );
  const held = await send(sender, { destination_number: contact, when_restricted: 'hold' });
  assert.equal(held.body.data.status, 'accepted');
  assert.equal(await usedBy(sender.teamId), 1);
  await put(sender, contact, { state: 'out' });
  await sql`update devices set new_chats_restricted_until = now() - interval '1 second' where id = ${sender.deviceId}`.execute(
    db,
  );
  await eventually(async () => {
    const { rows } = await sql<{ status: string; failure: string; attempts: number }>`
      select status, failure, attempts from messages where id = ${held.body.data.messageId}`.execute(db);
    assert.deepEqual(rows, [{ status: 'refused', failure: 'recipient_opted_out', attempts: 0 }]);
  });
  assert.equal(await usedBy(sender.teamId), 0);
  assert.deepEqual(await network.received(contact, sender.phone), []);
});

test('an opt-out is checked before a rewrite and never stored under an Idempotency-Key', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  await put(sender, contact, { state: 'out' });
  const key = { 'idempotency-key': newId() };
  const image = { destination_number: contact, image_url: 'https://example.com/bike.png' };
  assert.equal(await reasonOf(send(sender, image, key)), 'recipient_opted_out');
  assert.deepEqual(app.fetched, []);
  await put(sender, contact, { state: 'in' });
  assert.equal((await send(sender, image, key)).status, 200);
});

test('an opt-out survives the erasure of the contact as a hash', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  await write(sender, contact, 'stop');
  const erased = await api('POST', `/contacts/${encodeURIComponent(contact)}/erase`, { body: {} });
  assert.equal(erased.status, 200);
  const { rows } = await sql<{ contact: string; proof: string | null }>`
    select contact, proof from consents where team_id = ${sender.teamId}`.execute(db);
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.contact ?? '', /^hash:[0-9a-f]{64}$/);
  assert.equal(rows[0]?.proof, null);
  assert.equal(await reasonOf(send(sender, { destination_number: contact })), 'recipient_opted_out');
  assert.equal((await put(sender, contact, { state: 'in' })).body.details.reason, 'contact_opted_out');
  await write(sender, contact, 'START');
  assert.equal((await send(sender, { destination_number: contact })).status, 200);
});

test('an opt-out follows the contact to its number', async () => {
  const [sender, number] = [await addSender(), newPhone()];
  await put(sender, 'lid:981234567890177', { state: 'out' });
  await db.transaction().execute((tx) => copyConsents(tx, sender.teamId, 'lid:981234567890177', number));
  assert.equal(await reasonOf(send(sender, { destination_number: number })), 'recipient_opted_out');
});

test('a CSV is imported, except rows that are wrong or would undo an opt-out of the contact', async () => {
  const [sender, [asked, agreed, stopped]] = [await addSender(), [newPhone(), newPhone(), newPhone()]];
  await write(sender, stopped ?? '', 'stop');
  const csv = [
    '\ufeffNumber;State;decided_at;proof',
    `${asked};out;2026-01-05T10:00:00Z;"a form; on paper"`,
    `${agreed};IN;;`,
    `${stopped};in;;`,
    'nobody;out;;',
    `${agreed};maybe;;`,
    `${agreed};in;2999-01-01;`,
  ].join('\r\n');
  const { status, body } = await api('POST', '/consents/import', { body: { team_id: sender.teamId, csv } });
  assert.equal(status, 200);
  assert.equal(body.data.imported, 2);
  assert.deepEqual(
    body.data.refused.map(({ row }: { row: number }) => row),
    [4, 5, 6, 7],
  );
  assert.deepEqual(await readConsent(sender, asked ?? ''), {
    team_id: sender.teamId,
    kind: 'active_messages',
    state: 'out',
    source: 'import',
    decided_at: '2026-01-05T10:00:00.000Z',
    proof: 'a form; on paper',
  });
  assert.equal((await readConsent(sender, agreed ?? '')).state, 'in');
});

test('a CSV without the needed columns, of another form or too long is refused', async () => {
  const { teamId } = await addSender();
  const rows = (count: number) => `number,state\n${'+15550123,in\n'.repeat(count)}`;
  for (const csv of ['phone,answer\n+15550123,in', 'number,state\n"+15550123', rows(10_001)]) {
    const { status, body } = await api('POST', '/consents/import', { body: { team_id: teamId, csv } });
    assert.deepEqual([status, body.details.issues[0].path], [400, 'csv'], csv.slice(0, 40));
  }
});

test('a team sees and changes only its own contacts, and a global key names a team', async () => {
  const [sender, contact] = [await addSender(), newPhone()];
  for (const body of [{ state: 'out' }, { state: 'out', team_id: newId() }]) {
    const refused = await api('PUT', pathOf(contact), { body });
    assert.deepEqual([refused.status, refused.body.details.issues[0].path], [400, 'team_id']);
  }
  assert.deepEqual((await api('GET', pathOf(contact))).body.data, []);
  assert.deepEqual((await api('GET', `${pathOf(contact)}?team_id=${newId()}`)).body.data, []);
  await put(sender, contact, { state: 'out' });
  const [found, ...others] = (await api('GET', pathOf(contact))).body.data;
  assert.deepEqual([found.team_id, found.state, others.length], [sender.teamId, 'out', 0]);
  assert.equal((await put(sender, 'nobody', { state: 'out' })).body.details.issues[0].path, 'number');
});
