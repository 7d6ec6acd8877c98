import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SendOutcomeUnknown } from '@parley/server/messaging-network';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

const contact = '+15550199';

describe('receipts', { timeout: 120_000 }, () => {
  const under = setUpDevices();

  for (const [index, [type, state]] of (
    [
      ['', 'delivered'],
      ['inactive', 'delivered'],
      ['read', 'read'],
      ['played', 'read'],
    ] as const
  ).entries())
    it(`of the type '${type}' mean ${state}`, async () => {
      const { device, phone, send } = await under.link(`+1555930${index}`);
      await send(`message-${index}`, contact);
      // The contact's device confirms each message that it can decrypt.
      await device.waitFor('receipt');
      await under.fake.receipt(phone, contact, `message-${index}`, type);
      const receipt = await device.waitFor('receipt', 1);
      assert.deepEqual(receipt, { type: 'receipt', networkId: `message-${index}`, state });
    });

  it('of the own phone mean nothing', async () => {
    const { device, phone, send } = await under.link('+15559310');
    await send('own', contact);
    await device.waitFor('receipt');
    await under.fake.receipt(phone, phone, 'own', 'read');
    await under.fake.receipt(phone, contact, 'own', 'played');
    await device.waitFor('receipt', 1);
    assert.deepEqual(
      device.all('receipt').map(({ state }) => state),
      ['delivered', 'read'],
    );
  });

  it('are confirmed after the pool has stored all messages that they name, and arrive again until then', async () => {
    const { device, phone, send } = await under.link('+15559311');
    const confirmed = async () =>
      (await under.entries('receipt_confirmed', 'first')).map(({ state }) => state);
    await send('first', contact);
    await send('second', contact);
    await device.waitFor('receipt', 1);
    const storing = Promise.withResolvers<void>();
    device.handlers.receipt = async ({ networkId }) => {
      if (networkId === 'second') await storing.promise;
    };
    await under.fake.write({ from: contact, to: phone, text: 'an answer' });
    await device.waitFor('receipt', 3);
    // A confirmation would have reached the network before this message.
    await send('third', contact);
    assert.deepEqual(await confirmed(), ['delivered']);
    storing.reject(new Error('the database is unavailable'));
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await confirmed(), ['delivered']);
    device.handlers = {};
    device.open(under.network);
    await eventually(async () => assert.deepEqual(await confirmed(), ['delivered', 'read']));
    const read = device.all('receipt').filter(({ state }) => state === 'read');
    assert.deepEqual(
      read.map(({ networkId }) => networkId),
      ['first', 'second', 'first', 'second'],
    );
  });

  it('report a refusal that arrives after the send was aborted', async () => {
    const { device, phone, session } = await under.link('+15559312');
    await under.fake.injectFault(phone, 'refuse_next_late');
    const timeout = new AbortController();
    const message = { networkId: 'late', to: contact, content: { kind: 'text', text: 'one' } } as const;
    const sending = assert.rejects(session().send(message, timeout.signal), SendOutcomeUnknown);
    await eventually(async () => assert.equal((await under.entries('refused', 'late')).length, 1));
    timeout.abort();
    await sending;
    await under.fake.injectFault(phone, 'send_refusal');
    const failed = { type: 'receipt', networkId: 'late', state: 'failed' };
    await eventually(async () => assert.deepEqual(device.all('receipt'), [failed]));
  });
});
