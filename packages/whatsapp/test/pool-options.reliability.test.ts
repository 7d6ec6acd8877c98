import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';

describe('a pool with options', { timeout: 120_000 }, async () => {
  const rig = await startRig();
  const { fake } = rig;
  await rig.startPool({
    WHATSAPP_CLIENT_NAME: 'Harbour bicycles',
    WHATSAPP_NEW_CHATS_PER_DAY: '1',
    WHATSAPP_READ_RECEIPTS: 'true',
    WHATSAPP_TYPING: 'true',
    WHATSAPP_VERSION: '2.3000.7',
  });

  test('shows its name, types, reports messages as read, and limits new chats', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    const find = async (type: string) =>
      (await fake.journal()).filter((entry) => entry.type === type && entry.device === phone);
    assert.deepEqual(await find('paired'), [{ type: 'paired', device: phone, name: 'Harbour bicycles' }]);
    const send = (to: string) =>
      rig.api('POST', '/send', { body: { device_id: device, destination_number: to, message: 'hello' } });
    assert.equal((await send('+15550995')).body.data.status, 'sent');
    assert.ok((await find('presence')).some((entry) => 'state' in entry && entry.state === 'composing'));
    assert.equal((await send('+15550996')).body.details.reason, 'device_restricted');
    await fake.write({ from: contact, to: phone, text: 'hi' });
    await eventually(async () => assert.equal((await find('read')).length, 1));
    assert.equal((await send(contact)).body.data.status, 'sent');
  });

  for (const [code, reason] of [
    [403, 'logged_out'],
    [405, 'client_outdated'],
    [503, 'unavailable'],
  ] as const)
    test(`reports ${reason} when the network refuses the connection with ${code}`, async () => {
      const phone = newPhone();
      const device = await rig.link(phone);
      await fake.injectFault(phone, `refuse_logins_${code}`);
      const status = await rig.until(device, (now) => now['last_disconnect_reason'] === reason);
      assert.equal(status['logged_in'], reason !== 'logged_out');
      const logins = (await fake.journal()).flatMap((entry) =>
        entry.type === 'login' && entry.device === phone ? [entry.version] : [],
      );
      assert.deepEqual(logins, ['2.3000.7']);
      if (reason !== 'client_outdated') return;
      const advice = /the network refuses this client version: set WHATSAPP_VERSION/;
      await eventually(async () => assert.match(await rig.poolLog(), advice));
    });
});
