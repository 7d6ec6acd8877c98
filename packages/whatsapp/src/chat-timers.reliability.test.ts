import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

const week = 604_800;
const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

describe('a chat whose messages disappear', { timeout: 120_000 }, () => {
  const under = setUpDevices();

  it('gets answers with its timer, also after a restart and in files', async () => {
    const contact = '+15556101';
    const { device, phone, send, restart } = await under.link('+15556001');
    const chat = { from: contact, to: phone };
    const contextInfo = { expiration: week };
    const timers = async () => (await under.fake.received(contact, phone)).map(({ timer }) => timer);
    await under.fake.write({ ...chat, text: 'before' });
    await device.waitFor('inbound');
    await send('1', contact);
    await under.fake.writeContent(chat, { extendedTextMessage: { text: 'now', contextInfo } });
    await device.waitFor('inbound', 1);
    await send('2', contact);
    await restart();
    await send('3', contact);
    await send('4', contact, { kind: 'image', mimeType: 'image/png', bytes: png, caption: '' });
    assert.deepEqual(await timers(), [undefined, week, week, week]);
  });

  it('follows its setting', async () => {
    const contact = '+15556102';
    const { device, phone, send, restart } = await under.link('+15556002');
    const set = (ephemeralExpiration: number) =>
      under.fake.writeContent(
        { from: contact, to: phone },
        { protocolMessage: { type: 3, ephemeralExpiration } },
      );
    const waitForDelivery = (id: string) =>
      eventually(async () => assert.equal((await under.entries('delivered', id)).length, 1));
    await waitForDelivery(await set(week));
    await send('5', contact);
    await restart();
    await waitForDelivery(await set(0));
    await restart();
    await send('6', contact);
    const received = await under.fake.received(contact, phone);
    assert.deepEqual(
      received.map(({ timer }) => timer),
      [week, undefined],
    );
    assert.deepEqual(device.all('inbound'), []);
  });
});
