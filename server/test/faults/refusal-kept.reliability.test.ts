import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../devices.ts';

const app = await startDevicesApp();
await app.startPool();
const { db } = app.context;

test('does not repeat an operation refused after its start, even if the refusal was lost', async () => {
  const deviceId = await addDevice(app, await addTeamWithBot(db));
  await linkDevice(app, deviceId, newPhone());
  // Fails the statement that stores the refusal after the message was rolled back.
  await sql`
    create function refuse_refusals() returns trigger language plpgsql as $$
      begin raise 'lost'; end $$`.execute(db);
  await sql`
    create trigger refuse before insert on idempotency_keys for each row when (new.status >= 400)
    execute function refuse_refusals()`.execute(db);
  const send = () =>
    app.api('POST', '/send', {
      headers: { 'idempotency-key': 'unknown-recipient' },
      body: { device_id: deviceId, message: 'Your bicycle is ready', destination_number: '+9995550100' },
    });
  assert.equal((await send()).status, 500);
  await sql`drop trigger refuse on idempotency_keys`.execute(db);
  const retry = await send();
  assert.deepEqual([retry.status, retry.body.details.reason], [400, 'recipient_unknown']);
  const { rows } = await sql`select id from messages where device_id = ${deviceId}`.execute(db);
  assert.equal(rows.length, 1);
});
