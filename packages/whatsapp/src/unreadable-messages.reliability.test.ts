import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

describe('messages that a side cannot decrypt', { timeout: 120_000 }, () => {
  const under = setUpDevices();
  const contact = '+15550199';

  /** Afterwards the device's messages need the contact's encryption session. */
  async function greet(device: DeviceUnderTest, phone: string): Promise<void> {
    await under.fake.write({ from: contact, to: phone, text: 'hi' });
    await device.waitFor('inbound');
  }

  it('sends a message again when the contact requests it', async () => {
    const { send, phone, device } = await under.link('+15554001');
    await greet(device, phone);
    await under.fake.injectFault(phone, 'forget_sessions');
    await send('lost-1', contact);
    await eventually(async () => assert.equal((await under.entries('sent', 'lost-1')).length, 1));
    assert.equal((await under.entries('undecryptable', 'lost-1')).length, 1);
    const receipts = () => device.all('receipt').filter(({ networkId }) => networkId === 'lost-1');
    await eventually(async () =>
      assert.deepEqual(
        receipts().map(({ state }) => state),
        ['delivered'],
      ),
    );
  });

  it('reports one delivery, after the contact could decrypt the message', async () => {
    const { send, phone, device } = await under.link('+15554002');
    await greet(device, phone);
    await under.fake.injectFault(phone, 'forget_sessions');
    await send('unreadable-at-first', contact);
    await send('later', contact);
    await eventually(async () => assert.equal(device.all('receipt').length, 2));
    assert.equal((await under.entries('undecryptable', 'unreadable-at-first')).length, 1);
    assert.equal((await under.entries('sent', 'unreadable-at-first')).length, 1);
  });

  it('sends a message again after a restart', async () => {
    const { send, restart, phone } = await under.link('+15554003');
    await send('kept', contact);
    await restart();
    await under.fake.injectFault(phone, 'forget_sessions');
    await under.fake.receipt(phone, contact, 'kept', 'retry');
    await eventually(async () => assert.equal((await under.entries('sent', 'kept')).length, 2));
  });

  it('sends nothing when a contact requests an unknown message', async () => {
    const { send, restart, phone, device } = await under.link('+15554004');
    await send('forgotten', contact);
    device.sent.clear();
    await restart();
    await under.fake.receipt(phone, contact, 'forgotten', 'retry');
    await send('afterwards', contact);
    assert.equal((await under.entries('sent', 'forgotten')).length, 1);
  });

  it('receives the first message after an advertisement from the phone', async () => {
    const { device, phone } = await under.link('+15554005');
    const id = await under.fake.writePlaceholder({ from: contact, to: phone, text: 'I saw your ad' });
    const { message } = await device.waitFor('inbound');
    assert.equal(message.networkId, id);
    assert.equal(message.contactNumber, contact);
    assert.deepEqual(message.content, { kind: 'text', text: 'I saw your ad' });
  });

  it('requests a message from the phone again after a restart, until the phone answers', async () => {
    const { device, phone, restart } = await under.link('+15554006');
    await under.fake.injectFault(phone, 'phone_offline');
    const id = await under.fake.writePlaceholder({ from: contact, to: phone, text: 'from an ad' });
    await eventually(async () => assert.equal((await under.entries('phone_request', id)).length, 1));
    await under.fake.injectFault(phone, 'phone_online');
    await restart();
    await eventually(async () => assert.equal((await under.entries('phone_request', id)).length, 2));
    assert.equal((await device.waitFor('inbound')).message.networkId, id);
    await restart();
    await under.fake.write({ from: contact, to: phone, text: 'and then' });
    await eventually(async () => assert.equal(device.texts().at(-1), 'and then'));
    // The pool stores a message once that a session delivers twice.
    assert.deepEqual(new Set(device.texts()), new Set(['from an ad', 'and then']));
    assert.equal((await under.entries('phone_request', id)).length, 2);
  });

  it('mentions a message that only the phone may show, and does not request it', async () => {
    const { device, phone } = await under.link('+15554007');
    const type = 'view_once_unavailable_fanout';
    const hidden = await under.fake.writePlaceholder({ from: contact, to: phone, text: 'once', type });
    const { message } = await device.waitFor('inbound');
    assert.deepEqual([message.networkId, message.details?.type], [hidden, 'view_once']);
    await eventually(async () => assert.equal((await under.entries('delivered', hidden)).length, 1));
    const id = await under.fake.writePlaceholder({ from: contact, to: phone, text: 'shown' });
    assert.equal((await device.waitFor('inbound', 1)).message.networkId, id);
    assert.deepEqual(await under.entries('phone_request', hidden), []);
  });

  it('continues a chat with a contact who has new keys', async () => {
    const { device, phone, send } = await under.link('+15554008');
    await under.fake.write({ from: contact, to: phone, text: 'old phone' });
    await device.waitFor('inbound');
    await under.fake.injectFault(phone, 'reinstall');
    await under.fake.write({ from: contact, to: phone, text: 'new phone' });
    await device.waitFor('inbound', 1);
    await send('to-the-new-phone', contact);
    await eventually(async () => assert.equal((await under.entries('sent', 'to-the-new-phone')).length, 1));
    assert.deepEqual(device.texts(), ['old phone', 'new phone']);
  });

  it('uploads new keys when the network reports that few are left', async () => {
    const { phone, device } = await under.link('+15554009');
    const before = (await under.entries('pre_keys', phone)).length;
    await under.fake.injectFault(phone, 'account_changed');
    await under.fake.injectFault(phone, 'pre_keys_low');
    await eventually(async () => assert.equal((await under.entries('pre_keys', phone)).length, before + 1));
    await under.fake.write({ from: contact, to: phone, text: 'still here' });
    await device.waitFor('inbound');
  });

  it('neither decrypts nor confirms messages of groups', async () => {
    const { phone, device } = await under.link('+15554010');
    const id = await under.fake.writeToGroup({ from: contact, to: phone });
    await eventually(async () => assert.equal((await under.entries('nack', id)).length, 1));
    assert.deepEqual(await under.entries('retry', id), []);
    await under.fake.write({ from: contact, to: phone, text: 'in private' });
    await device.waitFor('inbound');
    assert.deepEqual(device.texts(), ['in private']);
  });
});
