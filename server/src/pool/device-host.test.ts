import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot, newPhone } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { newId } from '../platform/shared/ids.ts';
import type { MessagingNetwork, SessionOptions } from '../ports/messaging-network/messaging-network.ts';
import { startPool } from './pool.ts';

const context = await startTestContext();
const { db } = context;
const { teamId, botId } = await addTeamWithBot(db);

/** Adds started devices of a pool that has ended. */
async function addOrphanedDevices(count: number): Promise<string[]> {
  const poolId = newId();
  await sql`
    insert into pools (id, url, capacity, devices, lease_until, draining, ended)
    values (${poolId}, 'http://past', ${count}, ${count}, now() - interval '1 minute', true, true)`.execute(
    db,
  );
  const { rows } = await sql<{ id: string }>`
    insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
    select gen_random_uuid(), ${teamId}::uuid, ${botId}::uuid, 'Desk', 'started', ${poolId}::uuid,
           'http://past'
    from generate_series(1, ${count}) returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** A network that calls `open` for each session and counts the opening ones. */
function scriptedNetwork(open: (session: SessionOptions & { opened(): void }) => void) {
  const seen = { opening: 0, most: 0, opened: new Map<string, number>() };
  const network: Pick<MessagingNetwork, 'openSession'> = {
    openSession(options) {
      const { deviceId, events } = options;
      let isOpening = true;
      const opened = () => {
        if (isOpening) seen.opening -= 1;
        isOpening = false;
      };
      seen.opening += 1;
      seen.most = Math.max(seen.most, seen.opening);
      seen.opened.set(deviceId, (seen.opened.get(deviceId) ?? 0) + 1);
      let down = false;
      queueMicrotask(() => open({ ...options, opened }));
      return {
        send: () => Promise.reject(new Error('send is not supported')),
        logout: () => Promise.reject(new Error('logout is not supported')),
        async close() {
          opened();
          // The next test may already have taken the device away.
          if (!down) void events.down('closed').catch(() => undefined);
          down = true;
        },
      };
    },
  };
  return { network, seen };
}

const startOn = async (network: Pick<MessagingNetwork, 'openSession'>, openTimeoutMs = 300) => {
  const config = {
    host: '127.0.0.1',
    port: 0,
    url: null,
    capacity: 500,
    leaseSeconds: 15,
    openTimeoutMs,
  };
  const pool = await startPool({ ...context, leaseDb: db, network, config });
  after(() => pool.close());
  return pool;
};

const countConnected = async (ids: readonly string[]) => {
  const { rows } = await sql`select from devices where connected and id = any(${ids}::uuid[])`.execute(db);
  return rows.length;
};

/** Returns a function that reads the ids published under a topic so far. */
const listen = () => {
  const published = { 'session-changed': [] as string[], 'device-changed': [] as string[] };
  for (const [topic, ids] of Object.entries(published) as [keyof typeof published, string[]][]) {
    after(context.notifications.subscribe(topic, (id) => ids.push(id)));
  }
  return (topic: keyof typeof published) => published[topic];
};

test('opens all sessions after a restart within the limit, despite stuck and failing ones', async () => {
  const ids = await addOrphanedDevices(120);
  const [stuck = '', failing = '', ...others] = ids;
  const { network, seen } = scriptedNetwork(({ deviceId, events, opened }) => {
    if (deviceId === stuck) return;
    opened();
    if (deviceId === failing) void events.down('connection_lost');
    else void events.up({ phoneNumber: `+1555${1000 + ids.indexOf(deviceId)}` });
  });
  const published = listen();
  const pool = await startOn(network);
  const countOpened = (id: string) => seen.opened.get(id) ?? 0;
  await eventually(async () => {
    assert.equal(await countConnected(ids), others.length);
    assert.ok(countOpened(stuck) >= 2, 'the stuck one is retried');
    assert.ok(countOpened(failing) >= 3, 'the failing one is retried');
  });
  assert.deepEqual(new Set(others.map(countOpened)), new Set([1]), 'the others opened once');
  assert.ok(seen.most <= 50, `${seen.most} at once`);
  assert.deepEqual(
    new Set(published('session-changed')),
    new Set(ids.filter((id) => id !== stuck || countOpened(id) > 1)),
  );
  assert.deepEqual(published('device-changed'), [], 'a pool does not notify itself of its own writes');
  await pool.close();
});

async function countWaiting(): Promise<number> {
  const exposed = await context.metrics.expose({
    socket: { remoteAddress: '127.0.0.1' },
    headers: { host: '127.0.0.1' },
  });
  return Number(/^parley_sessions\{state="waiting"\} (\d+)$/m.exec(exposed?.text ?? '')?.[1]);
}

test('connects a device with a due message, or a requested one, before the others', async () => {
  await sql`update devices set status = 'stopped'`.execute(db);
  const ids = (await addOrphanedDevices(200)).sort();
  const [due = '', requested = ''] = ids.slice(-2);
  const opened: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { network } = scriptedNetwork(async ({ deviceId, events, opened: isOpen }) => {
    opened.push(deviceId);
    await gate.promise;
    isOpen();
    void events.up({ phoneNumber: newPhone() });
  });
  await sql`update devices set status = 'stopped' where id = ${requested}`.execute(db);
  const pool = await startOn(network, 30_000);
  await eventually(async () => assert.deepEqual([opened.length, await countWaiting()], [50, 149]));
  await sql`update devices set status = 'started' where id = ${requested}`.execute(db);
  context.notifications.publish('message-due', due);
  context.notifications.publish('device-changed', requested);
  await eventually(async () => assert.equal(await countWaiting(), 150));
  gate.resolve();
  await eventually(async () => assert.ok(opened.length >= 52));
  assert.deepEqual(new Set(opened.slice(50, 52)), new Set([due, requested]));
  await eventually(async () => assert.equal(await countConnected(ids), ids.length));
  await pool.close();
});
