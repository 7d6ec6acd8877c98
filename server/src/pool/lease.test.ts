import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestFoundations } from '../../test/harness.ts';
import { createLease } from './lease.ts';

const foundations = await startTestFoundations();

const startLease = (onLost: () => Promise<void>) =>
  createLease({
    ...foundations,
    url: 'http://pool',
    capacity: 1,
    leaseSeconds: 1,
    onTakenOver: () => {},
    onLost,
  });

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
  await lease.renew();
  assert.equal(lease.poolId(), first, 'nobody can have succeeded it yet');
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
  const lease = startLease(async () => lost.resolve(performance.now() - since));
  await lease.renew();
  assert.ok((await lost.promise) < 1000);
  await lease.end();
});
