import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { keyedHash } from '../../../test/keyed-hash.ts';
import { createOwnedDevice } from '../../../test/owned-device.ts';
import { promptly } from '../../../test/promptly.ts';
import { populateTeam } from '../../../test/team-fixture.ts';
import { applyConsentWord } from '../../chat/consents/consents.ts';
import { insertToolCalls, updateToolCall } from '../../chat/conversations/tool-calls.sql.ts';
import { newId } from '../../platform/shared/ids.ts';
import { eventTypes } from './catalogue.ts';
import { recordEvent } from './events.sql.ts';
import type { PresentedEvent } from './present-event.ts';

const app = await startTestApp();
const { db } = app.context;

interface Listed {
  data: PresentedEvent[];
  meta: { next_cursor: string; has_more: boolean };
}

const list = async (query: Record<string, string | number> = {}, token?: string): Promise<Listed> => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const options = token === undefined ? {} : { token };
  const { status, body } = await app.api('GET', `/events?${search}`, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Listed;
};

/** Waits until the team's events are these types, in order. */
const untilRecorded = (teamId: string, ...expected: string[]): Promise<PresentedEvent[]> =>
  eventually(async () => {
    const { data } = await list({ team_id: teamId, limit: 1000 });
    assert.deepEqual(
      data.map(({ type }) => type),
      expected,
    );
    return data;
  });

async function createTeam(): Promise<string> {
  const { body } = await app.api('POST', '/teams', {
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Harbour Rentals' } },
  });
  return (body as { data: { team: { id: string } } }).data.team.id;
}

test('records an event of each type with the change that it reports', async () => {
  const teamId = newId();
  await sql`insert into teams (id, name, plan_name, paying) values (${teamId}, 'Harbour', 'pro', true)`.execute(
    db,
  );
  await sql`insert into team_usage (team_id, members) values (${teamId}, 1)`.execute(db);
  const { botId, documentId, devices } = await populateTeam(db, teamId);
  const contact = '+15550123';
  const [conversationId, messageId] = [newId(), newId()];
  const updateDevice = (assignments: string) =>
    sql`update devices set ${sql.raw(assignments)} where id = ${devices.idle}`.execute(db);
  await updateDevice(`status = 'started', qr_text = '2@abc', qr_expires_at = now()`);
  await updateDevice(`connected = true, logged_in = true, phone_number = '15550100', qr_text = null`);
  await updateDevice(`connected = false, last_disconnect_reason = 'connection_lost'`);
  await updateDevice(`logged_in = false, last_disconnect_reason = 'logged_out'`);
  await updateDevice(`blocked = true`);
  await sql`
    insert into message_templates (id, team_id, device_id, name, language, category, state, body, variables)
    values (${newId()}, ${teamId}, ${devices.idle}, 'order_ready', 'en', 'utility', 'pending', 'Ready', 0)`.execute(
    db,
  );
  await sql`update message_templates set state = 'approved' where device_id = ${devices.idle}`.execute(db);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
    values (${newId()}, ${teamId}, ${devices.idle}, ${contact}, 'in', 'contact', 'text', 'Hello', 'n1', 'received'),
           (${messageId}, ${teamId}, ${devices.idle}, ${contact}, 'out', 'bot', 'text', 'Hi', 'n2', 'accepted')`.execute(
    db,
  );
  for (const status of ['sent', 'delivered', 'read']) {
    await sql`update messages set status = ${status} where id = ${messageId}`.execute(db);
  }
  await sql`update messages set status = 'refused', failure = 'network_refused' where id = ${messageId}`.execute(
    db,
  );
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${conversationId}, ${teamId}, ${devices.idle}, ${contact})`.execute(db);
  const updateConversation = (assignments: string) =>
    sql`update conversations set ${sql.raw(assignments)} where id = ${conversationId}`.execute(db);
  await updateConversation(`flag = 'human_requested', state = 'paused', paused_until = now()`);
  await updateConversation(`flag = null, state = 'bot'`);
  await updateConversation(`flag = 'out_of_credits'`);
  await sql`
    insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
    values (${newId()}, ${teamId}, ${botId}, 1, ${devices.idle}, ${contact}, false, 0, '{}'),
           (${newId()}, ${teamId}, ${botId}, 1, ${devices.idle}, ${contact}, true, 0, '{"payments": []}')`.execute(
    db,
  );
  await updateConversation(`claimed_until = now() + interval '1 minute', claim_fence = 1`);
  const claim = {
    conversationId,
    teamId,
    deviceId: devices.idle,
    contactNumber: contact,
    fence: 1,
    attempts: 1,
  };
  const call = { firstMessageId: messageId, position: 0 };
  await insertToolCalls(db, claim, { ...call, calls: [{}] });
  const failure = { action: 'find_booking', status: 502, error: 'the endpoint returned 502' };
  await updateToolCall(db, claim, { ...call, outcome: {}, failure });
  await sql`update documents set provider_status = 'ready' where id = ${documentId}`.execute(db);
  await sql`update documents set provider_status = 'failed' where id = ${documentId}`.execute(db);
  await sql`update bots set live_version = 1 where id = ${botId}`.execute(db);
  await recordEvent(db, 'bot.publish_failed', teamId, {
    bot_id: botId,
    name: 'Bot',
    reason: 'provider_unavailable',
  });
  await recordEvent(db, 'call.missed', teamId, {
    message_id: messageId,
    conversation_id: conversationId,
    device_id: devices.idle,
    contact_number: contact,
    video: false,
  });
  await recordEvent(db, 'run.finished', teamId, {
    run_id: newId(),
    bot_id: botId,
    version: 'draft',
    state: 'finished',
    passed: 1,
    failed: 0,
    warned: 0,
    changed: 0,
    worse: 0,
  });
  await sql`update team_usage set bots = 8 where team_id = ${teamId}`.execute(db);
  await sql`update team_usage set bots = 10 where team_id = ${teamId}`.execute(db);
  await recordEvent(db, 'webhook.disabled', teamId, {
    webhook_id: newId(),
    url: 'https://example.com',
    reason: 'gone',
  });
  await sql`update conversations set flag = 'automated_contact' where id = ${conversationId}`.execute(db);
  for (const word of ['out', 'in'] as const)
    await db
      .transaction()
      .execute((tx) =>
        applyConsentWord(tx, keyedHash, { deviceId: devices.idle, contact, word, messageId: newId() }),
      );
  await sql`update teams set name = 'Harbour Rentals' where id = ${teamId}`.execute(db);
  await sql`delete from teams where id = ${teamId}`.execute(db);
  const events = await untilRecorded(
    teamId,
    ...['team.created', 'device.qr', 'device.connected', 'device.disconnected', 'device.logged_out'],
    ...[
      'device.restricted',
      'template.updated',
      'message.received',
      'message.sent',
      'message.delivered',
      'message.read',
      'message.failed',
    ],
    ...['conversation.human_requested', 'conversation.paused', 'conversation.resumed', 'credits.exhausted'],
    ...['conversation.unanswered', 'payment.captured', 'action.failed', 'document.ready', 'document.failed'],
    ...[
      'bot.published',
      'bot.publish_failed',
      'call.missed',
      'run.finished',
      'quota.warning',
      'quota.reached',
      'webhook.disabled',
      'contact.automated',
      'contact.opted_out',
      'contact.opted_in',
      'team.updated',
    ],
    'team.deleted',
  );
  assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(eventTypes));
  const failed = events.find(({ type }) => type === 'action.failed');
  assert.deepEqual(failed?.data, {
    conversation_id: conversationId,
    device_id: devices.idle,
    contact_number: contact,
    ...failure,
  });
  const received = events.find(({ type }) => type === 'message.received');
  assert.equal((received?.data as { text: string } | undefined)?.text, 'Hello');
  const updated = events.find(({ type }) => type === 'team.updated');
  assert.deepEqual((updated?.data as { changes: string[] } | undefined)?.changes, ['name']);
});

test('records each status that messages of one statement reach or skip, in order', async () => {
  const { teamId, deviceId } = await createOwnedDevice(db);
  const reached = ['read', 'unknown', 'sent', 'accepted', 'delivered'];
  const messages = reached.map((status, minute) => ({ id: newId(), status, minute }));
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
    select id, ${teamId}, ${deviceId}, '+15550123', 'out', 'bot', 'text', 'Hi', id::text, 'accepted', now() + make_interval(mins => minute)
    from jsonb_to_recordset(${JSON.stringify(messages)}) as message (id uuid, minute int)`.execute(db);
  await sql`
    update messages set status = message.status
    from jsonb_to_recordset(${JSON.stringify(messages)}) as message (id uuid, status text)
    where messages.id = message.id`.execute(db);
  const events = await untilRecorded(
    teamId,
    ...['team.created', 'message.sent', 'message.delivered', 'message.read'],
    ...['message.failed', 'message.sent', 'message.sent', 'message.delivered'],
  );
  const [read, failed, sent, , delivered] = messages.map(({ id }) => id);
  assert.deepEqual(
    events.slice(1).map(({ data }) => (data as { message_id: string }).message_id),
    [read, read, read, failed, sent, delivered, delivered],
  );
});

test('records no event of a change that was rolled back', async () => {
  const teamId = await createTeam();
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await sql`update teams set name = 'Renamed' where id = ${teamId}`.execute(tx);
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  await app.api('PATCH', `/teams/${teamId}`, { body: { name: 'Renamed again' } });
  await untilRecorded(teamId, 'team.created', 'team.updated');
});

test('lists pages in order until no event is left', async () => {
  const teamId = await createTeam();
  for (const name of ['One', 'Two', 'Three']) await app.api('PATCH', `/teams/${teamId}`, { body: { name } });
  const all = await untilRecorded(teamId, 'team.created', 'team.updated', 'team.updated', 'team.updated');
  const first = await list({ team_id: teamId, limit: 3 });
  assert.deepEqual([first.data, first.meta.has_more], [all.slice(0, 3), true]);
  const second = await list({ team_id: teamId, limit: 3, after: first.meta.next_cursor });
  assert.deepEqual([second.data, second.meta.has_more], [all.slice(3), false]);
  const third = await list({ team_id: teamId, after: second.meta.next_cursor });
  assert.deepEqual(third.data, []);
  const created = await list({ team_id: teamId, types: 'team.created,team.deleted' });
  assert.deepEqual(created.data, all.slice(0, 1));
});

test('shows the events of its team to a key of scope team', async () => {
  const [own, other] = [await createTeam(), await createTeam()];
  const { token } = await app.issueKey({ teamId: own });
  await untilRecorded(other, 'team.created');
  await eventually(async () => {
    const { data } = await list({}, token);
    assert.deepEqual(
      data.map(({ team_id }) => team_id),
      [own],
    );
  });
  assert.deepEqual((await list({ team_id: other }, token)).data, []);
});

test('refuses unknown types and cursors that this database did not issue', async () => {
  const unknownType = await app.api('GET', '/events?types=message.received,nonsense');
  assert.equal(unknownType.status, 400);
  const { meta } = await list({ limit: 1 });
  const [incarnation, xid = '', seq, at] = Buffer.from(meta.next_cursor, 'base64url').toString().split('.');
  const encode = (...parts: unknown[]) => Buffer.from(parts.join('.')).toString('base64url');
  const future = String(BigInt(xid) + 1_000_000_000n);
  for (const after of [
    'nonsense',
    encode('00000000', xid, seq, at),
    encode(incarnation, future, seq, at),
    encode(incarnation, '9'.repeat(19), seq, at),
  ]) {
    const { status, body } = await app.api('GET', `/events?after=${after}`);
    assert.deepEqual(
      [status, (body as { details?: { reason: string } }).details?.reason],
      [400, 'cursor_unknown'],
    );
  }
});

test('refuses a cursor whose events were written again after a restore', async () => {
  const { meta } = await list({ limit: 1 });
  const [incarnation, xid, seq, at] = Buffer.from(meta.next_cursor, 'base64url').toString().split('.');
  const anHourAgo = Number(at) - 3_600_000;
  await eventually(async () => assert.ok((await list()).data.length > 1));
  const after = Buffer.from([incarnation, xid, seq, anHourAgo].join('.')).toString('base64url');
  const { status } = await app.api('GET', `/events?after=${after}`);
  assert.equal(status, 400);
});

test('reaches an event that commits after later ones', async () => {
  const teamId = await createTeam();
  await untilRecorded(teamId, 'team.created');
  const { meta } = await list({ team_id: teamId });
  const [begun, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = db.transaction().execute(async (tx) => {
    await recordEvent(tx, 'credits.exhausted', teamId, {});
    begun.resolve();
    await commit.promise;
  });
  await begun.promise;
  await app.api('PATCH', `/teams/${teamId}`, { body: { name: 'Earlier' } });
  const before = await list({ team_id: teamId, after: meta.next_cursor });
  assert.deepEqual(before.data, []);
  commit.resolve();
  await late;
  await eventually(async () => {
    const { data } = await list({ team_id: teamId, after: before.meta.next_cursor });
    assert.deepEqual(
      data.map(({ type }) => type),
      ['credits.exhausted', 'team.updated'],
    );
  });
});

test('shows events while a transaction of another database on the server stays open', async () => {
  const url = new URL(app.context.databaseUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('begin; select pg_current_xact_id()');
    const teamId = await createTeam();
    await promptly(untilRecorded(teamId, 'team.created'));
  } finally {
    await client.end();
  }
});
