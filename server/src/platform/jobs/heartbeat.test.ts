import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { connectDatabase } from '../database/database.ts';
import { createLogger } from '../shared/logger.ts';
import { enqueueJob } from './enqueue.ts';
import { startHeartbeat, trackHeldJobs } from './heartbeat.ts';

const runnerId = 'runner';
const leaseSeconds = 3;
const database = await createTestDatabase();
const logger = createLogger('silent');
// One test holds a lock in a transaction while the heartbeat waits for it.
const { db, close } = connectDatabase({ url: database.url, poolSize: 4, applicationName: 'test', logger });
after(async () => {
  await close();
  await database.drop();
});

/** Creates a job that a runner has locked for longer than a lease. */
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

/** A runner without jobs. */
const idle = { held: () => [], onLostJob: () => undefined };

const knownRunners = async () => (await sql`select from job_runners`.execute(db)).rows.length;

test('keeps an ended job locked for a lease, in which its end may still be written, and then unlocks it', async (t) => {
  const events = new EventEmitter() as unknown as WorkerEvents;
  const held = trackHeldJobs(events, leaseSeconds);
  const job = await lockedJob();
  events.emit('job:start', { job } as never); // the only member that is read
  // As the runner does: a lost job has it replaced by a runner with a new id.
  let heartbeat = startHeartbeat(
    { db, logger, leaseSeconds },
    { runnerId, held, onLostJob: () => void replace() },
  );
  const replace = async () => {
    await heartbeat.stop();
    heartbeat = startHeartbeat({ db, logger, leaseSeconds }, { ...idle, runnerId: 'successor' });
  };
  t.after(() => heartbeat.stop());
  await eventually(async () => assert.equal(await knownRunners(), 1)); // the heartbeat has started
  const endedAt = performance.now();
  events.emit('job:complete', { job } as never);
  await eventually(async () => assert.equal(await isLocked(), false));
  assert.ok(performance.now() - endedAt >= leaseSeconds * 1000);
});

test('gives every runner a new lease after a time in which none could write its heartbeat', async (t) => {
  const leaseSeconds = 1;
  const heartbeat = startHeartbeat({ db, logger, leaseSeconds }, { ...idle, runnerId });
  t.after(() => heartbeat.stop());
  await eventually(async () => assert.equal(await knownRunners(), 1)); // the heartbeat has started
  const silence = await db.startTransaction().execute();
  await sql`lock table job_runners in access exclusive mode`.execute(silence);
  await sql`insert into job_runners (id) values ('other')`.execute(silence);
  await lockedJob('other');
  // The duration is what this test is about.
  await delay(1500 * leaseSeconds);
  const overAt = performance.now();
  await silence.commit().execute();
  await eventually(async () => assert.equal(await isLocked(), false));
  assert.ok(performance.now() - overAt >= leaseSeconds * 1000);
});
