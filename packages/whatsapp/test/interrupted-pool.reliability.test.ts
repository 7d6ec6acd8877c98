import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550211';
const signals = ['SIGKILL', 'SIGTERM'] as const;
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
const steps = signals.flatMap((signal) => points.map((point) => ({ signal, point })));

describe('a pool of linked devices that is killed or stopped', { timeout: 600_000 }, async () => {
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
  /** Returns the texts that arrived in this direction. */
  const readTexts = async (direction: 'in' | 'out') => {
    const { rows } = await sql<{ text: string }>`
      select text from messages where device_id = ${device} and direction = ${direction}
        and (direction = 'in' or status in ('delivered', 'read')) order by seq`.execute(context.db);
    return rows.map(({ text }) => text);
  };

  /** The killed pool before may have delivered everything. Its lease ends some seconds later. */
  const untilHosted = () =>
    eventually(async () => {
      const { rows } = await sql`select pool_url, connected from devices where id = ${device}`.execute(
        context.db,
      );
      assert.deepEqual(rows, [{ pool_url: pool.addresses.pool, connected: true }]);
    }, 60_000);

  for (const [index, { signal, point }] of steps.entries()) {
    test(`with ${signal} at ${point} neither loses nor repeats a message, and all can be decrypted`, async () => {
      await untilHosted();
      pool.child.kill('SIGKILL');
      await pool.ended;
      const texts = steps.slice(0, index + 1).map((step) => `${step.signal} ${step.point}`);
      const text = texts.at(-1) ?? '';
      await fake.write({ from: contact, to: phone, text });
      const { status } = await rig.api('POST', `/conversations/${conversation}/messages`, { body: { text } });
      assert.equal(status, 200);
      const armed = signal === 'SIGKILL' ? point : `${point}:${signal}`;
      const interrupted = await rig.startPool({ NODE_ENV: 'test', FAULT_POINT: armed });
      assert.equal(await interrupted.ended, signal === 'SIGKILL' ? null : 0);
      pool = await rig.startPool();
      await eventually(async () => {
        assert.deepEqual(await readTexts('out'), texts);
        assert.deepEqual(await readTexts('in'), ['greeting', ...texts]);
      }, 60_000);
      const received = await fake.received(contact, phone);
      assert.deepEqual(
        received.map((message) => message.text),
        texts,
      );
      const journal = await fake.journal();
      const unreadable = journal.filter(({ type }) => ['retry', 'undecryptable', 'nack'].includes(type));
      assert.deepEqual(unreadable, []);
      // A killed pool cannot know what the network has received, so its successor repeats the message under the same id.
      const copies = journal.filter((entry) => entry.type === 'sent' && entry.text === text);
      if (signal === 'SIGTERM') assert.equal(copies.length, 1);
    });
  }
});
