import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { createTestDatabase } from '../../test/test-database.ts';
import { connectDatabase } from '../database/database.ts';
import { createLogger } from '../shared/logger.ts';
import { enqueueJob } from './enqueue.ts';
import { startHeartbeat, trackHeldJobs } from './heartbeat.ts';

const runnerId = 'runner';
const leaseSeconds = 3;
const database = await createTestDatabase();
const logger = createLogger('silent');
// Room beside a transaction that holds what the heart's connection then waits for.
const { db, close } = connectDatabase({ url: database.url, poolSize: 4, applicationName: 'test', logger });
after(async () => {
  await close();
  await database.drop();
});

/** A job that the runner has locked for longer than a lease. */
async function lockedJob(lockedBy = runnerId): Promise<{ id: string }> {
  await enqueueJob(db, 'long', {}, { maxAttempts: 3 });
  const { rows } = await sql<{ id: string }>`
    update graphile_worker._private_jobs set locked_by = ${lockedBy}, locked_at = now() - interval '1 hour'
    returning id::text`.execute(db);
  assert.ok(rows[0]);
  return rows[0];
}

const isLocked = async () => {
  const { rows } = await sql`select from graphile_worker.jobs where locked_at is not null`.execute(db);
  return rows.length > 0;
};

const knownRunners = async () => (await sql`select from job_runners`.execute(db)).rows.length;

test('a job that ended stays its runner’s while its end may be on its way to the row, and is free after a lease', async (t) => {
  // An emitter of exactly these events, of which the heart hears.
  const events = new EventEmitter() as unknown as WorkerEvents;
  const held = trackHeldJobs(events, leaseSeconds);
  const job = await lockedJob();
  events.emit('job:start', { job } as never); // nothing else of the event is looked at
  const heart = startHeartbeat({ db, logger, leaseSeconds }, { runnerId, held });
  t.after(() => heart.stop());
  await eventually(async () => assert.equal(await knownRunners(), 1)); // it beats
  const endedAt = performance.now();
  events.emit('job:complete', { job } as never);
  await eventually(async () => assert.equal(await isLocked(), false));
  assert.ok(performance.now() - endedAt >= leaseSeconds * 1000);
});

test('after a time in which no runner could be heard, each has a lease to be heard again', async (t) => {
  const leaseSeconds = 1;
  const heart = startHeartbeat({ db, logger, leaseSeconds }, { runnerId, held: () => [] });
  t.after(() => heart.stop());
  await eventually(async () => assert.equal(await knownRunners(), 1)); // it beats
  const silence = await db.startTransaction().execute();
  await sql`lock table job_runners in access exclusive mode`.execute(silence);
  await sql`insert into job_runners (id) values ('other')`.execute(silence);
  await lockedJob('other');
  // The time is what this is about.
  await delay(1500 * leaseSeconds);
  const overAt = performance.now();
  await silence.commit().execute();
  await eventually(async () => assert.equal(await isLocked(), false));
  assert.ok(performance.now() - overAt >= leaseSeconds * 1000);
});
