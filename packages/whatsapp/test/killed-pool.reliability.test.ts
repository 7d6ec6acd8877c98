import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550211';
/** Each is hit while a pool receives a message and sends another one. */
const points = [
  'session.after_store',
  'session.after_store@2',
  'session.after_store@3',
  'inbound.after_commit',
  'outbox.after_claim',
  'outbox.after_wire',
  'outbox.after_settle',
  'receipt.after_commit',
];

describe('a pool of linked devices that is killed', { timeout: 600_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  const phone = newPhone();
  let pool = await rig.startPool();
  const device = await rig.link(phone);
  await fake.write({ from: contact, to: phone, text: 'greeting' });
  const conversation = await eventually(async () => {
    const { data } = (await rig.api('GET', `/conversations?device_id=${device}`)).body;
    assert.equal(data.length, 1);
    return data[0].id;
  });
  const readTexts = async (direction: 'in' | 'out', status: string | null) => {
    const { rows } = await sql<{ text: string }>`
      select text from messages where device_id = ${device} and direction = ${direction}
        and (${status}::text is null or status = ${status}) order by seq`.execute(context.db);
    return rows.map(({ text }) => text);
  };

  for (const [index, point] of points.entries()) {
    test(`at ${point} neither loses nor repeats a message, and all can be decrypted`, async () => {
      await rig.until(device, ({ connected }) => connected === true);
      pool.child.kill('SIGKILL');
      await pool.ended;
      const texts = points.slice(0, index + 1);
      await fake.write({ from: contact, to: phone, text: point });
      const { status } = await rig.api('POST', `/conversations/${conversation}/messages`, {
        body: { text: point },
      });
      assert.equal(status, 200);
      const killed = await rig.startPool({ NODE_ENV: 'test', FAULT_POINT: point });
      await killed.ended;
      pool = await rig.startPool();
      await eventually(async () => {
        assert.deepEqual(await readTexts('out', 'delivered'), texts);
        assert.deepEqual(await readTexts('in', null), ['greeting', ...texts]);
      }, 60_000);
      const received = await fake.received(contact, phone);
      assert.deepEqual(
        received.map(({ text }) => text),
        texts,
      );
      const unreadable = (await fake.journal()).filter(({ type }) =>
        ['retry', 'undecryptable', 'nack'].includes(type),
      );
      assert.deepEqual(unreadable, []);
    });
  }
});
