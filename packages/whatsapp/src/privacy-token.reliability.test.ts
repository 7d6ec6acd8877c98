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
});
