import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestFoundations } from '../../test/harness.ts';
import { createLease } from './lease.ts';

const foundations = await startTestFoundations();

const startLease = (onLost: () => Promise<void>, leaseSeconds = 1) =>
  createLease({
    ...foundations,
    leaseDb: foundations.db,
    url: 'http://pool',
    capacity: 1,
    leaseSeconds,
    onTakenOver: () => {},
    onLost,
  });

/** However long this machine took for it: nobody may have succeeded the pool yet. */
const prolong = (poolId: string | null) =>
  sql`update pools set lease_until = now() + interval '1 minute' where id = ${poolId}`.execute(
    foundations.db,
  );

/** As a process that is stopped by a signal: no timer and nothing that arrived is looked at meanwhile. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a pool that was paused for its lease owns nothing from the moment it wakes, before any timer has run', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const first = lease.poolId();
  assert.notEqual(first, null);
  pause(900);
  assert.equal(lease.poolId(), null);
  assert.equal(lease.remainingSeconds(), null);
  await lost.promise;
  await prolong(first);
  await lease.renew();
  assert.equal(lease.poolId(), first);
  await lease.end();
});

test('a pool that is told to drain while it has no lease takes no devices once it has it again', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const id = lease.poolId();
  pause(900);
  await lost.promise;
  await lease.drain();
  await prolong(id);
  await lease.renew();
  assert.equal(lease.poolId(), id);
  const { rows } = await sql`select draining from pools where id = ${id}`.execute(foundations.db);
  assert.deepEqual(rows, [{ draining: true }]);
  await lease.end();
});

test('after a lease that is over a new incarnation begins', async () => {
  const lost = Promise.withResolvers<void>();
  const lease = startLease(async () => lost.resolve());
  await lease.renew();
  const first = lease.poolId();
  await sql`update pools set lease_until = now() - interval '1 minute' where id = ${first}`.execute(
    foundations.db,
  );
  await lease.renew();
  await lost.promise;
  assert.notEqual(lease.poolId(), null);
  assert.notEqual(lease.poolId(), first);
  await lease.end();
});

test('a lease that is not renewed is lost before it ends', async () => {
  const lost = Promise.withResolvers<number>();
  const since = performance.now();
  const lease = startLease(async () => lost.resolve(performance.now() - since), 3);
  await lease.renew();
  assert.ok((await lost.promise) < 3000);
  await lease.end();
});
