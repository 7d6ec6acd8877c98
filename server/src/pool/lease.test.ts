import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../test/bots.ts';
import { addBotRow } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { hasLockWaiter, waitForLockWaiter } from '../../test/lock-waits.ts';
import { newId } from '../platform/shared/ids.ts';
import { createLease } from './lease.ts';

const context = await startTestContext();

const startLease = (onLost: () => Promise<void>, leaseSeconds = 1) =>
  createLease({
    ...context,
    leaseDb: context.db,
    url: 'http://pool',
    capacity: 1,
    leaseSeconds,
    onTakeover: () => {},
    onLost,
  });

/** Keeps the lease from expiring on a slow machine. */
const extendLease = (poolId: string | null) =>
  sql`update pools set lease_until = now() + interval '1 minute' where id = ${poolId}`.execute(context.db);

/** Blocks the event loop like SIGSTOP: no timer runs. */
const blockEventLoop = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a pool that pauses longer than its lease has lost it when it resumes, before any timer runs', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const first = lease.poolId();
  assert.notEqual(first, null);
  blockEventLoop(900);
  assert.equal(lease.poolId(), null);
  assert.equal(lease.remainingSeconds(), null);
  await lost.promise;
  await extendLease(first);
  await lease.renew();
  assert.equal(lease.poolId(), first);
  await lease.end();
});

test('a pool that starts to drain without a lease stays draining when it regains the lease', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const id = lease.poolId();
  blockEventLoop(900);
  await lost.promise;
  await lease.drain();
  await extendLease(id);
  await lease.renew();
  assert.equal(lease.poolId(), id);
  const { rows } = await sql`select draining from pools where id = ${id}`.execute(context.db);
  assert.deepEqual(rows, [{ draining: true }]);
  await lease.end();
});

test('inserts a new pool after the lease has expired', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const first = lease.poolId();
  await sql`update pools set lease_until = now() - interval '1 minute' where id = ${first}`.execute(
    context.db,
  );
  await lease.renew();
  await lost.promise;
  assert.notEqual(lease.poolId(), null);
  assert.notEqual(lease.poolId(), first);
  await lease.end();
});

test('loses a lease that is not renewed before it expires', async () => {
  const lost = Promise.withResolvers<number>();
  const since = performance.now();
  const lease = startLease(async () => lost.resolve(performance.now() - since), 6);
  await lease.renew();
  assert.ok((await lost.promise) < 6000);
  await lease.end();
});

test('keeps an expired pool that is just getting devices', async () => {
  const lease = startLease(async () => undefined, 30);
  await lease.renew();
  const past = newId();
  await sql`
    insert into pools (id, url, capacity, lease_seconds, lease_until)
    values (${past}, 'http://past', 9, 1, now() - interval '1 hour')`.execute(context.db);
  const teamId = await addTeam(context);
  const botId = await addBotRow(context.db, teamId);
  let isOver = false;
  let deletion = Promise.resolve();
  await context.db.transaction().execute(async (tx) => {
    await sql`select from pools where id = ${past} for update`.execute(tx);
    await sql`
      insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
      values (${newId()}, ${teamId}, ${botId}, 'Desk', 'started', ${past}, 'http://past')`.execute(tx);
    deletion = lease.deleteEndedPools().finally(() => {
      isOver = true;
    });
    await eventually(async () => assert.ok(isOver || (await hasLockWaiter(context.db))));
  });
  await deletion;
  const { rows } = await sql`select from pools where id = ${past}`.execute(context.db);
  assert.equal(rows.length, 1);
  await lease.end();
});

test('ends the lease without waiting for a locked device', async () => {
  const { db } = context;
  const lease = startLease(async () => undefined, 30);
  await lease.renew();
  const poolId = lease.poolId();
  const teamId = await addTeam(context);
  const botId = await addBotRow(db, teamId);
  const devices = [newId(), newId()];
  for (const id of devices) {
    await sql`
      insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url)
      values (${id}, ${teamId}, ${botId}, 'Desk', 'started', true, ${poolId}, 'http://pool')`.execute(db);
  }
  await db.transaction().execute(async (tx) => {
    await sql`select from devices where id = ${devices[0]} for update`.execute(tx);
    await lease.end();
    const { rows } = await sql<{ ended: boolean; connected: boolean[] }>`
      select ended, array(select connected from devices where pool_id = pools.id order by id) as connected
      from pools where id = ${poolId}`.execute(db);
    assert.deepEqual(rows, [{ ended: true, connected: [true, false] }]);
  });
});

test('a pool that starts to drain while it takes its first lease is draining', async () => {
  const lease = startLease(async () => {}, 60);
  const renewing = await context.db.transaction().execute(async (tx) => {
    await sql`lock table pools in share row exclusive mode`.execute(tx);
    const begun = lease.renew();
    await waitForLockWaiter(context.db, 'insert into pools');
    await lease.drain();
    return { begun };
  });
  await renewing.begun;
  const { rows } = await sql`select draining from pools where id = ${lease.poolId()}`.execute(context.db);
  assert.deepEqual(rows, [{ draining: true }]);
  await lease.end();
});
