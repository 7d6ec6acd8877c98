import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { contact, startSendingApp } from '../../../test/senders.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startSendingApp();
const { addSender, network, send, usedBy } = app;
const { db } = app.context;
const stranger = '+15550998';

type Sender = Awaited<ReturnType<typeof addSender>>;

/** Starts a chat that the network refuses. */
async function restrictedSender(): Promise<Sender> {
  const sender = await addSender();
  await network.write({ from: contact, to: sender.phone, text: 'hi' });
  await eventually(async () => {
    const { rows } = await sql`
      select from messages where device_id = ${sender.deviceId} and direction = 'in'`.execute(db);
    assert.equal(rows.length, 1);
  });
  await network.fault(sender.phone, 'restrict', { ms: 600_000 });
  return sender;
}

const restrictionsOf = async ({ deviceId }: Sender) =>
  (await app.api('GET', `/devices/${deviceId}/status`)).body.data.restrictions;

const lift = ({ deviceId, phone }: Sender) =>
  Promise.all([
    network.fault(phone, 'restrict', { ms: 0 }),
    sql`update devices set new_chats_restricted_until = now() where id = ${deviceId}`.execute(db),
  ]);

test('refuses and refunds the first new chat, then rejects others before the charge, with the end', async () => {
  const sender = await restrictedSender();
  const first = await send(sender, { destination_number: stranger });
  assert.equal(first.status, 400);
  assert.equal(first.body.details.reason, 'device_restricted');
  await eventually(async () => assert.equal((await restrictionsOf(sender)).length, 1));
  const [restriction] = await restrictionsOf(sender);
  assert.equal(restriction.kind, 'new_chats');
  assert.equal(restriction.reason, 'network_refused');
  const second = await send(sender, { destination_number: '+15550997' });
  assert.equal(second.status, 400);
  assert.deepEqual(second.body.details, { reason: 'device_restricted', until: restriction.until });
  assert.equal(await usedBy(sender.teamId), 0);
  assert.equal((await send(sender, { destination_number: contact })).body.data.status, 'sent');
});

test('sends with the same Idempotency-Key once the restriction has ended', async () => {
  const sender = await restrictedSender();
  await send(sender, { destination_number: stranger });
  await eventually(async () => assert.equal((await restrictionsOf(sender)).length, 1));
  const [to, key] = [{ destination_number: '+15550995' }, { 'idempotency-key': newId() }];
  assert.equal((await send(sender, to, key)).body.details.reason, 'device_restricted');
  await lift(sender);
  assert.equal((await send(sender, to, key)).status, 200);
});

test('holds a message to a new contact until the restriction ends', async () => {
  const sender = await restrictedSender();
  await send(sender, { destination_number: stranger });
  await eventually(async () => assert.equal((await restrictionsOf(sender)).length, 1));
  const held = await send(sender, { destination_number: '+15550996', when_restricted: 'hold' });
  assert.equal(held.status, 200);
  assert.equal(held.body.data.status, 'accepted');
  assert.deepEqual(await network.received('+15550996', sender.phone), []);
  await lift(sender);
  await eventually(async () => assert.equal((await network.received('+15550996', sender.phone)).length, 1));
  assert.deepEqual(await restrictionsOf(sender), []);
});

test('holds even the message that the network refused first', async () => {
  const sender = await restrictedSender();
  const { body } = await send(sender, { destination_number: stranger, when_restricted: 'hold' });
  assert.equal(body.data.status, 'accepted');
  await lift(sender);
  await eventually(async () => assert.equal((await network.received(stranger, sender.phone)).length, 1));
});
