import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpDevices } from '../test/linked-devices.ts';

describe('addresses of a contact', { timeout: 120_000 }, () => {
  const under = setUpDevices();

  it('answers a contact whose number is unknown', async () => {
    const [phone, contact] = ['+15555001', '+15555101'];
    const { device, send } = await under.link(phone);
    await under.fake.address(contact, 'lid_only');
    await under.fake.write({ from: contact, to: phone, text: 'who am I?' });
    const { contactNumber } = (await device.waitFor('inbound')).message;
    assert.match(contactNumber, /^lid:\d+$/);
    await send('to a LID', contactNumber);
    assert.equal((await under.fake.received(contact, phone)).at(-1)?.text, 'to a LID');
    assert.deepEqual(await under.entries('look_up', phone), []);
  });

  it('answers under one contact when the network knows the number in another form', async () => {
    const [phone, dialled, account] = ['+15555002', '+5511987650001', '+551187650001'];
    const { device, send } = await under.link(phone);
    await send('hello Brazil', dialled);
    await under.fake.write({ from: account, to: phone, text: 'oi' });
    assert.equal((await device.waitFor('inbound')).message.contactNumber, dialled);
    await send('again', dialled);
    assert.deepEqual(
      (await under.fake.received(account, phone)).map(({ text }) => text),
      ['hello Brazil', 'again'],
    );
  });

  it('replies after a restart without looking up the number', async () => {
    const [phone, contact] = ['+15555003', '+15555103'];
    const { device, send, restart } = await under.link(phone);
    await under.fake.write({ from: contact, to: phone, text: 'hi' });
    await device.waitFor('inbound');
    await restart();
    await send('an answer', contact);
    assert.deepEqual(await under.entries('look_up', phone), []);
  });

  for (const addressing of ['pn', 'pn_only', 'lid'] as const) {
    it(`keeps one contact when the network later uses addresses of kind ${addressing}`, async () => {
      const [phone, contact] = [`+1555510${addressing.length}`, `+1555520${addressing.length}`];
      const { device } = await under.link(phone);
      await under.fake.write({ from: contact, to: phone, text: 'one' });
      await device.waitFor('inbound');
      await under.fake.address(contact, addressing);
      await under.fake.write({ from: contact, to: phone, text: 'two' });
      await device.waitFor('inbound', 1);
      const contacts = device.all('inbound').map(({ message }) => message.contactNumber);
      assert.deepEqual(contacts, [contact, contact]);
    });
  }
});
