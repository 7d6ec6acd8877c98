import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import { purgeExpired } from './retention.jobs.ts';

const { db } = await startTestContext();
const clock = { now: () => new Date() };
const purge = () => purgeExpired({ db, clock }, AbortSignal.timeout(60_000));

async function addTeam(settings: object): Promise<string> {
  const id = newId();
  await sql`
    insert into teams (id, name, plan_name, paying, settings)
    values (${id}, 'Harbour', 'pro', true, ${JSON.stringify(settings)}::jsonb)`.execute(db);
  return id;
}

/** Adds a row of each kind, written so many days ago. */
async function addRows(teamId: string, days: number, count = 1): Promise<void> {
  const at = sql`now() - make_interval(days => ${days})`;
  for (let n = 0; n < count; n += 1) {
    const [messageId, deviceId] = [newId(), newId()];
    await sql`
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
      values (${messageId}, ${teamId}, ${deviceId}, '+1', 'out', 'bot', 'image', '', ${messageId}, 'read', ${at})`.execute(
      db,
    );
    await sql`
      insert into message_media (message_id, position, kind, mime_type, bytes)
      values (${messageId}, 0, 'image', 'image/png', '\\x00')`.execute(db);
    await sql`
      insert into conversations (id, team_id, device_id, contact_number, created_at, last_message_at)
      values (${newId()}, ${teamId}, ${deviceId}, '+1', ${at}, ${at})`.execute(db);
    await sql`
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace, created_at)
      values (${newId()}, ${teamId}, ${newId()}, 1, ${deviceId}, '+1', true, 1, '{}', ${at})`.execute(db);
    await sql`
      insert into model_calls (team_id, purpose, provider, model, created_at)
      values (${teamId}, 'answer', 'openai', 'm', ${at})`.execute(db);
    const id = idAt(Date.now() - days * 86_400_000);
    await sql`insert into events (id, team_id, type, data) values (${id}, ${teamId}, 'credits.exhausted', '{}')`.execute(
      db,
    );
  }
}

/** A UUIDv7 of that time. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${newId().slice(14)}`;
}

async function countRows(teamId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['messages', 'conversations', 'answers', 'model_calls', 'events']) {
    const { rows } = await sql<{ rows: number }>`
      select count(*)::int as rows from ${sql.table(table)} where team_id = ${teamId}
      ${table === 'events' ? sql`and type <> 'team.created'` : sql``}`.execute(db);
    counts[table] = rows[0]?.rows ?? 0;
  }
  const { rows } = await sql<{ rows: number }>`
    select count(*)::int as rows from message_media m join messages on messages.id = m.message_id
    where team_id = ${teamId}`.execute(db);
  return { ...counts, media: rows[0]?.rows ?? 0 };
}

const each = (rows: number) => ({
  messages: rows,
  conversations: rows,
  answers: rows,
  model_calls: rows,
  events: rows,
  media: rows,
});

test("deletes data older than the team's retention, after 365 days by default", async () => {
  const [short, standard] = [await addTeam({ retention_days: 30 }), await addTeam({})];
  for (const teamId of [short, standard])
    for (const days of [1, 29, 31, 364, 366]) await addRows(teamId, days);
  await purge();
  assert.deepEqual(await countRows(short), each(2));
  assert.deepEqual(await countRows(standard), each(4));
});

test('deletes the addresses of contacts without a conversation and without messages', async () => {
  const teamId = await addTeam({ retention_days: 30 });
  const deviceId = newId();
  const contacts = ['+15550101', '+15550102', '+15550103'];
  for (const contact of contacts) {
    await sql`
      insert into contact_addresses (device_id, address, team_id, contact_number, created_at)
      values (${deviceId}, ${`${contact}@net`}, ${teamId}, ${contact}, now() - interval '31 days')`.execute(
      db,
    );
    await sql`
      insert into contact_merges (device_id, merged_contact, team_id, contact_number, merged_at)
      values (${deviceId}, ${`lid:${contact}`}, ${teamId}, ${contact}, now() - interval '31 days')`.execute(
      db,
    );
  }
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${newId()}, ${teamId}, ${deviceId}, '+15550101')`.execute(db);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
    values (${newId()}, ${teamId}, ${deviceId}, '+15550102', 'out', 'api', 'text', '', 'n', 'sent')`.execute(
    db,
  );
  await purge();
  for (const table of ['contact_addresses', 'contact_merges']) {
    const { rows } = await sql<{ contact: string }>`
      select contact_number as contact from ${sql.table(table)} where team_id = ${teamId} order by 1`.execute(
      db,
    );
    assert.deepEqual(
      rows.map(({ contact }) => contact),
      ['+15550101', '+15550102'],
      table,
    );
  }
});

test('keeps an old message that waits to be sent', async () => {
  const teamId = await addTeam({ retention_days: 1 });
  await addRows(teamId, 2);
  await sql`update messages set status = 'accepted' where team_id = ${teamId}`.execute(db);
  await purge();
  assert.equal((await countRows(teamId))['messages'], 1);
});

test('keeps a conversation in which somebody wrote lately', async () => {
  const teamId = await addTeam({});
  await addRows(teamId, 400);
  await sql`update conversations set last_message_at = now() where team_id = ${teamId}`.execute(db);
  await purge();
  assert.equal((await countRows(teamId))['conversations'], 1);
});

test('deletes more rows than a batch holds, and stops when it is asked to', async () => {
  const teamId = await addTeam({});
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
    select gen_random_uuid(), ${teamId}, gen_random_uuid(), '+1', 'in', 'contact', 'text', '', n::text, 'answered',
           now() - interval '2 years' from generate_series(1, 1700) n`.execute(db);
  await purgeExpired({ db, clock }, AbortSignal.abort());
  assert.equal((await countRows(teamId))['messages'], 1700);
  await purge();
  assert.equal((await countRows(teamId))['messages'], 0);
});

test('deletes old events of all teams together and of deleted teams', async () => {
  const gone = newId();
  for (const [teamId, days] of [
    [null, 400],
    [null, 10],
    [gone, 400],
    [gone, 10],
  ] as const) {
    const id = idAt(Date.now() - days * 86_400_000);
    await sql`insert into events (id, team_id, type, data) values (${id}, ${teamId}, 'webhook.disabled', '{}')`.execute(
      db,
    );
  }
  await recordEvent(db, 'webhook.disabled', null, {});
  await purge();
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from events where type = 'webhook.disabled'`.execute(db);
  assert.equal(rows[0]?.left, 3);
});
