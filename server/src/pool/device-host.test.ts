import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot, newPhone } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import type { MessagingNetwork, SessionOptions } from '../adapters/messaging-network/messaging-network.ts';
import { newId } from '../shared/ids.ts';
import { startPool } from './pool.ts';

const context = await startTestContext();
const { db } = context;
const { teamId, botId } = await addTeamWithBot(db);

/** Linked, started devices of a pool that has ended. */
async function addAbandoned(count: number): Promise<string[]> {
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

/** A network that does with each session what the test says, and counts those on the way to being open. */
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
        send: () => Promise.reject(new Error('nothing is sent here')),
        logout: () => Promise.reject(new Error('nothing is unlinked here')),
        async close() {
          opened();
          if (!down) void events.down('closed');
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

const connectedOf = async (ids: readonly string[]) => {
  const { rows } = await sql`select from devices where connected and id = any(${ids}::uuid[])`.execute(db);
  return rows.length;
};

/** Answers what has been published under a topic so far. */
const listen = () => {
  const heard = { 'session-changed': [] as string[], 'device-changed': [] as string[] };
  for (const [topic, ids] of Object.entries(heard) as [keyof typeof heard, string[]][]) {
    after(context.notifications.subscribe(topic, (id) => ids.push(id)));
  }
  return (topic: keyof typeof heard) => heard[topic];
};

test('a restart opens all sessions, never too many at once; stuck and failing ones keep no other from coming up', async () => {
  const ids = await addAbandoned(120);
  const [stuck = '', failing = '', ...others] = ids;
  const { network, seen } = scriptedNetwork(({ deviceId, events, opened }) => {
    if (deviceId === stuck) return;
    opened();
    if (deviceId === failing) void events.down('connection_lost');
    else void events.up({ phoneNumber: `+1555${1000 + ids.indexOf(deviceId)}` });
  });
  const heard = listen();
  const pool = await startOn(network);
  const openedOf = (id: string) => seen.opened.get(id) ?? 0;
  await eventually(async () => {
    assert.equal(await connectedOf(ids), others.length);
    assert.ok(openedOf(stuck) >= 2, 'the stuck one is given up and tried again');
    assert.ok(openedOf(failing) >= 3, 'the failing one is tried again');
  });
  assert.deepEqual(new Set(others.map(openedOf)), new Set([1]), 'the others never noticed');
  assert.ok(seen.most <= 50, `${seen.most} at once`);
  assert.deepEqual(
    new Set(heard('session-changed')),
    new Set(ids.filter((id) => id !== stuck || openedOf(id) > 1)),
  );
  assert.deepEqual(heard('device-changed'), [], 'what the pool writes itself gives it nothing to look at');
  await pool.close();
});

/** Devices that wait for their turn to be opened. */
async function waitingOnes(): Promise<number> {
  const exposed = await context.metrics.expose({ socket: { remoteAddress: '127.0.0.1' }, headers: {} });
  return Number(/^parley_sessions\{state="waiting"\} (\d+)$/m.exec(exposed?.text ?? '')?.[1]);
}

test('a device for which a message waits, or that is asked for, comes up before the many others', async () => {
  await sql`update devices set status = 'stopped'`.execute(db);
  const ids = (await addAbandoned(200)).sort();
  const [wanted = '', asked = ''] = ids.slice(-2);
  const opened: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { network } = scriptedNetwork(async ({ deviceId, events, opened: isOpen }) => {
    opened.push(deviceId);
    await gate.promise;
    isOpen();
    void events.up({ phoneNumber: newPhone() });
  });
  await sql`update devices set status = 'stopped' where id = ${asked}`.execute(db);
  const pool = await startOn(network, 30_000);
  await eventually(async () => assert.deepEqual([opened.length, await waitingOnes()], [50, 149]));
  await sql`update devices set status = 'started' where id = ${asked}`.execute(db);
  context.notifications.publish('message-due', wanted);
  context.notifications.publish('device-changed', asked);
  await eventually(async () => assert.equal(await waitingOnes(), 150));
  gate.resolve();
  await eventually(async () => assert.ok(opened.length >= 52));
  assert.deepEqual(new Set(opened.slice(50, 52)), new Set([wanted, asked]));
  await eventually(async () => assert.equal(await connectedOf(ids), ids.length));
  await pool.close();
});
