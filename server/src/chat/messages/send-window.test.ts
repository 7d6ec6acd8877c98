import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newPerson, startCloudApp } from '../../../test/cloud-numbers.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startCloudApp();
const { api } = app;
const { db } = app.context;
await app.startPool();
const number = await app.addNumber();

const dayMs = 86_400_000;

/** Stores messages of a contact in the order in which the network delivered them. */
async function receive(contact: string, agesMs: readonly number[], now: number): Promise<void> {
  const { deviceId, teamId } = number;
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${newId()}, ${teamId}, ${deviceId}, ${contact})`.execute(db);
  for (const age of agesMs) {
    const id = newId();
    await sql`
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, sent_at)
      values (${id}, ${teamId}, ${deviceId}, ${contact}, 'in', 'contact', 'text', 'Hello', ${id}, 'answered',
              ${new Date(now - age)})`.execute(db);
  }
}

/** A minute around the end is left out, because the test takes time. */
const age = fc.oneof(
  fc.integer({ min: 0, max: dayMs - 60_000 }),
  fc.integer({ min: dayMs + 1, max: 4 * dayMs }),
);

test('the window ends 24 hours after the newest message of the contact, in whatever order they arrived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(age, { minLength: 1, maxLength: 8 }), async (ages) => {
      const contact = `+${newPerson().wa_id}`;
      const now = Date.now();
      await receive(contact, ages, now);
      const end = now - Math.min(...ages) + dayMs;
      const query = new URLSearchParams({ device_id: number.deviceId, contact_number: contact });
      const [chat] = (await api('GET', `/conversations?${query}`)).body.data;
      assert.equal(chat.window_open_until, new Date(end).toISOString());
      const isOpen = end > now;
      const sent = await api('POST', '/send', {
        body: { device_id: number.deviceId, destination_number: contact, message: 'Your order is ready.' },
      });
      assert.equal(sent.status, isOpen ? 200 : 400, JSON.stringify(sent.body));
      const answered = await api('POST', `/conversations/${chat.id}/messages`, { body: { text: 'Hello' } });
      assert.equal(answered.status, isOpen ? 200 : 400);
      if (!isOpen) assert.equal(answered.body.details.reason, 'window_closed');
    }),
    { numRuns: 20 },
  );
});
