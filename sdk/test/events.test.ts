import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createParley, isParleyError, type StreamEventsOptions, type StreamedEvent } from '@parley/sdk';
import { eventually } from '../../server/test/eventually.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { key, startTestService } from './service.ts';

const serviceUrl = await startTestService();
const proxy = await startFaultyProxy(serviceUrl);
const parley = createParley({ baseUrl: proxy.url, key });
const eventsPath = '/api/openapi/v1/events';

const createTeam = async (name: string) =>
  (await parley.createTeam({ user: { name: 'Ana', email: 'ana@example.com' }, team: { name } })).team;

const connections = () =>
  proxy.seen.filter(({ path, headers }) => path === eventsPath && headers.accept === 'text/event-stream');

/** Follows the events from now on. Resolves once the service has opened the stream. */
async function follow(client = parley, options: StreamEventsOptions = {}) {
  const controller = new AbortController();
  after(() => controller.abort());
  const names: string[] = [];
  const events: StreamedEvent[] = [];
  const { meta } = await parley.listEvents({ limit: 100 });
  const ended = (async () => {
    const stream = client.streamEvents({
      types: ['team.created'],
      after: meta.next_cursor,
      signal: controller.signal,
      ...options,
    });
    for await (const event of stream) {
      events.push(event);
      if (event.type === 'team.created') names.push(event.data.name);
    }
  })();
  return { names, events, ended, stop: () => controller.abort() };
}

test('iterates over events as they happen until the signal aborts', async () => {
  const { names, events, ended, stop } = await follow();
  const team = await createTeam('Live ☀️');
  await eventually(async () => assert.deepEqual(names, ['Live ☀️']));
  assert.equal(events[0]?.team_id, team.id);

  stop();
  await ended;
  const resumed = parley.streamEvents({ types: ['team.created'], after: events[0]?.cursor });
  await createTeam('After the cursor');
  const { value } = await resumed.next();
  assert.equal(value?.type === 'team.created' && value.data.name, 'After the cursor');
  await resumed.return();
});

test('reads events whose texts contain the line separators of Unicode', async () => {
  const { names, ended, stop } = await follow();
  const name = 'Two\u2028lines\u2029and three';
  await createTeam(name);
  await eventually(async () => assert.deepEqual(names, [name]));
  stop();
  await ended;
});

test('continues after the last event when the connection is lost', async () => {
  const states: boolean[] = [];
  const { names, ended, stop } = await follow(parley, {
    onConnection: (connected) => states.push(connected),
  });
  await createTeam('Before');
  await eventually(async () => assert.deepEqual(names, ['Before']));
  const faults = [500, 502, 500].map((status) => ({ kind: 'refuse', status }) as const);
  proxy.fail(eventsPath, ...faults);
  const before = connections().length;

  proxy.cutStreams();
  await createTeam('Meanwhile');

  await eventually(async () => assert.deepEqual(names, ['Before', 'Meanwhile']));
  const again = connections().slice(before);
  assert.equal(again.length, 4);
  assert.ok(again.every(({ headers }) => headers['last-event-id'] !== undefined));
  assert.equal(states[0], true);
  assert.ok(states.includes(false));
  assert.equal(states.at(-1), true);
  await createTeam('Later');
  await eventually(async () => assert.deepEqual(names, ['Before', 'Meanwhile', 'Later']));
  stop();
  await ended;
});

test('connects again when not even a heartbeat arrives', async () => {
  const before = connections().length;
  const { names, ended, stop } = await follow(createParley({ baseUrl: proxy.url, key, timeoutMs: 300 }));
  await eventually(async () => assert.ok(connections().length >= before + 3));
  await createTeam('After silence');
  await eventually(async () => assert.deepEqual(names, ['After silence']));
  stop();
  await ended;
});

test('exchanges the key again when the service refuses the token of a later connection', async () => {
  const other = await parley.createApiKey({ name: 'Integration' });
  const { names, ended, stop } = await follow(createParley({ baseUrl: proxy.url, key: other }));
  await createTeam('First token');
  await eventually(async () => assert.deepEqual(names, ['First token']));
  proxy.fail(eventsPath, { kind: 'refuse', status: 401 });

  proxy.cutStreams();
  await createTeam('Second token');

  await eventually(async () => assert.deepEqual(names, ['First token', 'Second token']));
  stop();
  await ended;
});

test('throws what the service refuses, also on a later connection', async () => {
  const unknown = parley.streamEvents({ after: 'no-cursor' });
  await assert.rejects(unknown.next(), (error) => isParleyError(error, 'cursor_unknown'));

  const { names, ended } = await follow();
  await createTeam('Still allowed');
  await eventually(async () => assert.deepEqual(names, ['Still allowed']));
  proxy.fail(eventsPath, { kind: 'refuse', status: 403, body: '{"error":"no longer allowed"}' });
  proxy.cutStreams();
  await assert.rejects(ended, (error) => isParleyError(error) && error.status === 403);
});

test('throws when the first connection fails, and ends when the signal aborts before it', async () => {
  const token = await parley.getToken();
  const unreachable = createParley({ baseUrl: 'http://127.0.0.1:1', token, maxRetries: 1 });
  const failed = unreachable.streamEvents();
  await assert.rejects(failed.next(), (error) => isParleyError(error, 'connection_failed'));

  const aborted = unreachable.streamEvents({ signal: AbortSignal.abort() });
  assert.equal((await aborted.next()).done, true);
});
