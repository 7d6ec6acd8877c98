import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpDevices } from '../test/linked-devices.ts';

describe('privacy tokens', { timeout: 120_000 }, () => {
  const under = setUpDevices();

  for (const addressing of ['lid', 'pn'] as const)
    it(`go to a contact with the first messages only, also after a restart (${addressing})`, async () => {
      const contact = addressing === 'lid' ? '+15559101' : '+15559102';
      const { phone, send, restart } = await under.link(addressing === 'lid' ? '+15559001' : '+15559002');
      await under.fake.address(contact, addressing);
      const sendAll = async (messages: string[]) => {
        for (const message of messages) await send(message, contact);
      };
      await sendAll(['1', '2', '3', '4', '5', '6', '7', '8'].map((n) => `${addressing} ${n}`));
      await restart();
      await sendAll(['9', '10', '11', '12'].map((n) => `${addressing} ${n}`));
      const tokens = await under.entries('privacy_token', phone);
      // The second message may leave before the first token is noted.
      assert.ok(tokens.length >= 1 && tokens.length <= 2, `${tokens.length} tokens`);
    });

  it('are sent with a message that the network refuses without one, and no restriction follows', async () => {
    const contact = '+15559103';
    const { device, phone, send, restart } = await under.link('+15559003');
    await under.fake.write({ from: contact, to: phone, text: 'hello' });
    await device.waitFor('inbound');
    await restart();
    await under.fake.needToken(phone, contact);
    await send('with-token', contact);
    await send('and-again', contact);
    assert.equal((await under.entries('refused', phone)).length, 1);
    assert.deepEqual(
      (await under.fake.received(contact, phone)).map(({ id }) => id),
      ['with-token', 'and-again'],
    );
    assert.deepEqual(device.all('restricted'), []);
    await send('to a new chat', '+15559104');
  });

  it('are missing in a new chat, which counts as a restriction', async () => {
    const { device, phone, send } = await under.link('+15559005');
    await under.fake.needToken(phone, '+15559105');
    await assert.rejects(send('cold', '+15559105'), /device_restricted/);
    assert.equal(device.all('restricted').length, 1);
    assert.equal((await under.entries('refused', phone)).length, 1);
  });

  it('do not keep the device from answering a ping of the network', async () => {
    const { phone } = await under.link('+15559006');
    await under.fake.ping(phone);
  });
});
