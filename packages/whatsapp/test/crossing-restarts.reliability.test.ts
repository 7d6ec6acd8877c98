import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const restarts = 20;
const messagesPerRound = 50;
const contacts = { lid: '+15550201', pn: '+15550202', lid_only: '+15550203' } as const;

describe('1,000 messages that cross each other over 20 restarts of a pool', {
  timeout: 900_000,
}, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  const isConnected = ({ connected }: Record<string, unknown>) => connected === true;

  test('all arrive, and none of them has to be sent again', async () => {
    let pool = await rig.startPool();
    const phone = newPhone();
    const device = await rig.link(phone);
    const names: string[] = [];
    for (const [addressing, number] of Object.entries(contacts)) {
      await fake.address(number, addressing as keyof typeof contacts);
      await fake.write({ from: number, to: phone, text: `greeting ${addressing}` });
    }
    const readContacts = async () => {
      const { rows } = await sql<{ contact: string }>`
        select contact_number as contact from conversations where device_id = ${device} order by contact_number`.execute(
        context.db,
      );
      return rows.map(({ contact }) => contact);
    };
    await eventually(async () => assert.equal((await readContacts()).length, 3));
    const conversations = (await rig.api('GET', `/conversations?device_id=${device}`)).body.data;
    const write = async (text: string, n: number) => {
      const from = Object.values(contacts)[n % 3] ?? contacts.lid;
      names.push(text);
      await fake.write({ from, to: phone, text });
    };
    // Refused while the new pool process connects. Until it has started, the device still counts as connected.
    const answer = (text: string, n: number) =>
      eventually(async () => {
        const { id } = conversations[n % 3];
        const { status, body } = await rig.api('POST', `/conversations/${id}/messages`, { body: { text } });
        assert.equal(status, 200, JSON.stringify(body));
      });
    for (let round = 0; round < restarts; round += 1) {
      await rig.until(device, isConnected);
      await Promise.all(
        Array.from({ length: messagesPerRound / 2 }, async (_, n) => {
          await Promise.all([write(`in ${round} ${n}`, n), answer(`out ${round} ${n}`, n)]);
        }),
      );
      // Some messages are still on their way.
      pool.child.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      await pool.ended;
      pool = await rig.startPool();
    }
    await rig.until(device, isConnected);
    await eventually(async () => {
      const { rows } = await sql<{ received: number; waiting: number }>`
        select count(*) filter (where direction = 'in')::int as received,
               count(*) filter (where direction = 'out' and status = 'accepted')::int as waiting
        from messages where device_id = ${device}`.execute(context.db);
      assert.deepEqual(rows, [{ received: names.length + 3, waiting: 0 }]);
    }, 120_000);
    const journal = await fake.journal();
    const unreadable = journal.filter(({ type }) => ['retry', 'undecryptable', 'nack'].includes(type));
    assert.deepEqual(unreadable, []);
    assert.equal(
      new Set(journal.flatMap((entry) => (entry.type === 'sent' ? [entry.text] : []))).size,
      names.length,
    );
  });
});
