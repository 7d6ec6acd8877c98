import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { untilDevice } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';

describe('a pool process on linked devices', { timeout: 120_000 }, async () => {
  const rig = await startRig();
  const { fake, foundations } = rig;
  const { db } = foundations;

  const textsOf = async (device: string) => {
    const { rows } = await sql<{ text: string }>`
      select text from messages where device_id = ${device} and direction = 'in' order by sent_at, id`.execute(
      db,
    );
    return rows.map(({ text }) => text);
  };

  const deliveries = async (id: string) =>
    (await fake.journal()).filter((entry) => entry.type !== 'login' && entry.id === id);

  const send = (device: string, message: string) =>
    rig.api('POST', '/send', { body: { device_id: device, message, destination_number: contact } });

  test('links a device by its code, sends and receives, and comes back without a code', async () => {
    const phone = '+15550001';
    const first = await rig.startPool();
    const device = await rig.link(phone);
    const sent = await send(device, 'hello');
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.equal(sent.body.data.status, 'sent');
    assert.deepEqual(
      (await fake.received(contact, phone)).map(({ text }) => text),
      ['hello'],
    );
    const id = await fake.write({ from: contact, to: phone, text: 'hi' });
    await eventually(async () =>
      assert.deepEqual(await deliveries(id), [{ type: 'delivered', device: phone, id }]),
    );
    assert.deepEqual(await textsOf(device), ['hi']);

    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);
    const second = await rig.startPool();
    const back = await untilDevice(rig, device, ({ connected }) => connected === true);
    assert.equal(back['phone_number'], phone);
    assert.equal((await send(device, 'again')).body.data.status, 'sent');
    second.child.kill('SIGTERM');
    await second.ended;
  });
});
