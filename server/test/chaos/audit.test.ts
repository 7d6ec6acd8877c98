import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { newId } from '../../src/platform/shared/ids.ts';
import { startChaosServer } from './database.ts';

const server = await startChaosServer(['pool_1', 'pool_2']);
const database = await server.createDatabase('audited');
const client = new pg.Client({ connectionString: database.urlFor() });
await client.connect();
after(async () => {
  await client.end();
  await database.close();
  await server.remove();
});

const as = async (process: string, statement: string, values: unknown[] = []) => {
  await client.query(`set session authorization ${process}`);
  await client.query(statement, values);
  await client.query('reset session authorization');
};
const violations = () => database.query('select process, what from audit.violations order by at');
const [team, bot, device, first, second] = [newId(), newId(), newId(), newId(), newId()];

test('reports a write by a pool that does not own the device, but not by its owner or at a takeover or handover', async () => {
  for (const [process, id] of [
    ['pool_1', first],
    ['pool_2', second],
  ] as const)
    await as(process, `insert into pools (id, url, capacity, lease_until) values ($1, 'x', 9, now())`, [id]);
  await client.query(
    `insert into teams (id, name, plan_name, paying) values ('${team}', 'Harbour', 'pro', true);
     insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                       chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                       break_lines, questions)
     values ('${bot}', '${team}', 'creating', 'Desk', '', '', '', '', 0, 1, false, false, false, false, false, '[]');
     insert into devices (id, team_id, bot_id, name, pool_id, pool_url)
     values ('${device}', '${team}', '${bot}', 'Desk', '${first}', 'x')`,
  );
  const touch = `update devices set updated_at = now() where id = '${device}'`;
  await as('pool_1', touch);
  await as('pool_2', `update devices set pool_id = '${second}', epoch = epoch + 1 where id = '${device}'`);
  await as('pool_2', touch);
  assert.deepEqual(await violations(), []);
  await as('pool_1', touch);
  await as(
    'pool_1',
    `insert into device_sessions (device_id, kind, entry_id, value_sealed) values ($1, 'k', 'e', '')`,
    [device],
  );
  assert.deepEqual(await violations(), [
    { process: 'pool_1', what: 'device state' },
    { process: 'pool_1', what: 'session state' },
  ]);
  await as('pool_2', `update devices set pool_id = '${first}', epoch = epoch + 1 where id = '${device}'`);
  assert.equal((await violations()).length, 2);
  const ownerships = await database.query('select pool_id from audit.ownerships order by epoch');
  assert.deepEqual(
    ownerships.map((row) => Object.values(row)[0]),
    [first, second, first],
  );
});
