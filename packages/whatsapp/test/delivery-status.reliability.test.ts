import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';

describe('the delivery status of a message', { timeout: 120_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  await rig.startPool();

  const send = async (device: string) => {
    const { status, body } = await rig.api('POST', '/send', {
      body: { device_id: device, destination_number: contact, message: 'hello' },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const read = async (id: string) => (await rig.api('GET', `/messages/${id}`)).body.data;

  test('follows the receipts of the contact', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    const { messageId } = await send(device);
    const networkId = messageId.replaceAll('-', '').toUpperCase();
    await eventually(async () => assert.equal((await read(messageId)).status, 'delivered'));
    await fake.receipt(phone, contact, networkId, 'played');
    await eventually(async () => assert.equal((await read(messageId)).status, 'read'));
    await fake.receipt(phone, contact, networkId, 'inactive');
    await fake.write({ from: contact, to: phone, text: 'thanks' });
    await eventually(async () => {
      const { body } = await rig.api('GET', `/messages?device_id=${device}&direction=in`);
      assert.equal(body.data.length, 1);
    });
    assert.equal((await read(messageId)).status, 'read');
  });

  test('becomes refused, with a refund, when the refusal arrives after the timeout of the attempt', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    await fake.injectFault(phone, 'refuse_next_late');
    const { messageId, status } = await send(device);
    assert.equal(status, 'accepted');
    // The pool does not retry meanwhile.
    await sql`
      update devices set new_chats_restricted_until = now() + interval '1 hour' where id = ${device}`.execute(
      context.db,
    );
    await eventually(async () => {
      const { rows } = await sql<{ attempts: number; claimed: boolean }>`
        select attempts, claimed_until is not null as claimed from messages where id = ${messageId}`.execute(
        context.db,
      );
      assert.deepEqual(rows, [{ attempts: 1, claimed: false }]);
    }, 60_000);
    assert.equal((await read(messageId)).status, 'accepted');
    await fake.injectFault(phone, 'send_refusal');
    await eventually(async () => {
      const { status: now, failure, refunded } = await read(messageId);
      assert.deepEqual(
        { now, failure, refunded },
        { now: 'refused', failure: 'network_refused', refunded: true },
      );
    });
    assert.deepEqual(await fake.received(contact, phone), []);
  });
});
