import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openEventSource } from '../../../test/event-source.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { createEventFeed } from './event-feed.ts';
import { EventStream, type StreamedEvent } from './event-stream.ts';
import { selectLogState } from './events.queries.ts';
import { recordEvent } from './events.sql.ts';

const app = await startTestApp();
const { db } = app.context;
const global = app.key.token;

const record = (teamId: string, used = 1) =>
  recordEvent(db, 'quota.reached', teamId, { quota: 'bots', used, limit: 9 });

async function createTeam(): Promise<{ teamId: string; token: string }> {
  const { body } = await app.api('POST', '/teams', {
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Harbour Rentals' } },
  });
  const teamId: string = body.data.team.id;
  return { teamId, token: (await app.issueKey({ teamId })).token };
}

const usedIn = (source: { events: readonly { data: { data: Record<string, unknown> } }[] }) =>
  source.events.map(({ data }) => data.data['used']);

test('streams the events that follow, with the cursor as their id', async () => {
  const { teamId } = await createTeam();
  const source = await openEventSource(app.baseUrl, global, {
    query: `?team_id=${teamId}&types=quota.reached`,
  });
  await record(teamId, 1);
  await record(newId(), 2);
  await record(teamId, 3);
  await eventually(async () => assert.deepEqual(usedIn(source), [1, 3]));
  const { body } = await app.api('GET', `/events?team_id=${teamId}&after=${source.events[0]?.id}`);
  assert.deepEqual(body.data, [source.events[1]?.data]);
});

test('resumes after Last-Event-ID without a gap or a repetition', async () => {
  const { teamId } = await createTeam();
  const query = `?team_id=${teamId}&types=quota.reached`;
  const first = await openEventSource(app.baseUrl, global, { query });
  await record(teamId, 1);
  await eventually(async () => assert.deepEqual(usedIn(first), [1]));
  first.close();
  for (let used = 2; used <= 1203; used += 1) await record(teamId, used);
  const second = await openEventSource(app.baseUrl, global, { query, lastEventId: first.lastId() });
  for (let used = 1204; used <= 1210; used += 1) await record(teamId, used);
  const expected = Array.from({ length: 1209 }, (_, n) => n + 2);
  await eventually(async () => assert.deepEqual(usedIn(second), expected));
});

test('resumes behind more than a client may leave unread', async () => {
  const { teamId } = await createTeam();
  const query = `?team_id=${teamId}&types=quota.reached`;
  const first = await openEventSource(app.baseUrl, global, { query });
  await record(teamId, 1);
  await eventually(async () => assert.deepEqual(usedIn(first), [1]));
  first.close();
  const addLong = (from: number, to: number) =>
    sql`
    insert into events (type, team_id, data)
    select 'quota.reached', ${teamId}, jsonb_build_object('used', n, 'text', repeat('x', 5000))
    from generate_series(${from}::int, ${to}::int) n order by n`.execute(db);
  await addLong(2, 900);
  const second = await openEventSource(app.baseUrl, global, { query, lastEventId: first.lastId() });
  await addLong(901, 1000);
  const expected = Array.from({ length: 999 }, (_, n) => n + 2);
  await eventually(async () => assert.deepEqual(usedIn(second), expected));
});

test('holds at most half of what a client may leave unread', () => {
  const stream = new EventStream({ scope: { kind: 'all' }, filter: {}, actorId: null }, () => undefined);
  const text = 'x'.repeat(100_000);
  for (let n = 1; n <= 10; n += 1)
    stream.send({ xid: String(n), seq: '0', row: { team_id: null }, text } as StreamedEvent);
  assert.equal(stream.goLive({ xid: '0', seq: '0' }), false);
  assert.equal(stream.goLive({ xid: '10', seq: '0' }), true);
  assert.equal(stream.output.readableLength, 0);
});

test('sends no event twice when the shared poll is behind a stream', () => {
  const stream = new EventStream({ scope: { kind: 'all' }, filter: {}, actorId: null }, () => undefined);
  const eventAt = (xid: string) =>
    ({ xid, seq: '0', row: { team_id: null }, text: `${xid} ` }) as StreamedEvent;
  stream.send(eventAt('4'));
  stream.goLive({ xid: '5', seq: '0' });
  stream.send(eventAt('3'));
  stream.send(eventAt('6'));
  stream.output.setEncoding('utf8');
  assert.equal(stream.output.read(), '6 ');
});

test('sends no signal before the earlier events are read', () => {
  const scope = { kind: 'all' } as const;
  const stream = new EventStream(
    { scope, filter: { types: ['conversation.typing'] }, actorId: null },
    () => undefined,
  );
  stream.output.setEncoding('utf8');
  const signal = { teamId: newId(), authorId: 'user:1', text: 'signal' };
  stream.signal(signal);
  stream.goLive({ xid: '1', seq: '0' });
  assert.equal(stream.output.read(), null);
  stream.signal(signal);
  assert.equal(stream.output.read(), 'signal');
});

test('shows only the events of its team to a key of scope team', async () => {
  const [own, other] = [await createTeam(), await createTeam()];
  const source = await openEventSource(app.baseUrl, own.token, { query: '?types=quota.reached' });
  await record(other.teamId, 1);
  await record(own.teamId, 2);
  await eventually(async () => assert.deepEqual(usedIn(source), [2]));
});

test('refuses an unknown cursor in Last-Event-ID', async () => {
  const { status } = await openEventSource(app.baseUrl, global, { lastEventId: 'nonsense' });
  assert.equal(status, 400);
});

test('sends heartbeats with the cursor, and ends when the key may no longer read or the feed closes', async () => {
  const { db } = app.context;
  const feed = createEventFeed({ db, logger: createLogger('silent'), heartbeatMs: 50 });
  let allowed = true;
  const open = (isAllowed: () => boolean) =>
    feed.open({ scope: { kind: 'all' }, filter: {}, after: null, isAllowed });
  const collect = async (output: AsyncIterable<string>) => {
    let text = '';
    for await (const chunk of output) text += chunk;
    return text;
  };
  const revoked = collect(await open(() => allowed));
  const open2 = collect(await open(() => true));
  const { incarnation } = await selectLogState(db);
  allowed = false;
  const text = await revoked;
  assert.match(text, /: heartbeat\nid: \S+\n\n/);
  const cursor = Buffer.from(/heartbeat\nid: (\S+)/.exec(text)?.[1] ?? '', 'base64url').toString();
  assert.ok(cursor.startsWith(incarnation.slice(0, 8)));
  feed.close();
  assert.match(await open2, /^retry: 2000\nid: \S+\n\n/);
});

test('drops a client that does not read', async () => {
  const { teamId } = await createTeam();
  const feed = createEventFeed({ db, logger: createLogger('silent') });
  const output = await feed.open({
    scope: { kind: 'team', teamId },
    filter: {},
    after: null,
    isAllowed: () => true,
  });
  const closed = new Promise<void>((resolve) => output.once('close', () => resolve()));
  for (let n = 0; n < 12; n += 1) {
    await recordEvent(db, 'quota.reached', teamId, { quota: 'x'.repeat(100_000), used: n, limit: 9 });
  }
  await closed;
  feed.close();
});

const recordLong = async (teamId: string, count: number) => {
  for (let n = 0; n < count; n += 1)
    await recordEvent(db, 'team.created', teamId, { team_id: teamId, name: 'x'.repeat(200_000) });
};

test('ends a page of events after 4 MiB', async () => {
  const { teamId } = await createTeam();
  await recordLong(teamId, 30);
  const read = async (after: string) =>
    (await app.api('GET', `/events?team_id=${teamId}&types=team.created&limit=1000&after=${after}`)).body;
  const first = await read('');
  // Beside the event of the team's creation.
  assert.equal(first.data.length, 22);
  assert.equal(first.meta.has_more, true);
  const rest = await read(first.meta.next_cursor);
  assert.equal(rest.data.length, 9);
  assert.equal(rest.meta.has_more, false);
});

test('ends before its next heartbeat when the key may no longer read', async () => {
  const feed = createEventFeed({ db, logger: createLogger('silent') });
  const output = await feed.open({ scope: { kind: 'all' }, filter: {}, after: null, isAllowed: () => false });
  let text = '';
  for await (const chunk of output) text += chunk;
  feed.close();
  assert.doesNotMatch(text, /heartbeat/);
});

test('opens at most 200 streams of one team, and those of other teams beside them', async (t) => {
  const feed = createEventFeed({ db, logger: createLogger('silent') });
  t.after(() => feed.close());
  const open = (teamId: string) =>
    feed.open({ scope: { kind: 'team', teamId }, filter: {}, after: null, isAllowed: () => true });
  const [hostile, other] = [newId(), newId()];
  for (let n = 0; n < 200; n += 1) await open(hostile);
  await assert.rejects(open(hostile), { status: 503, details: { reason: 'too_many_streams' } });
  await open(other);
});
