import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { eventually } from '../../../test/eventually.ts';
import { createEmptyDatabase, createTestDatabase } from '../../../test/test-database.ts';
import { connectDatabase } from '../database/database.ts';
import { createLogger } from '../shared/logger.ts';
import { enqueueJob } from './enqueue.ts';
import type { Job } from './job.ts';
import { createJobMeters } from './job-metrics.ts';
import { installJobSchema } from './job-schema.ts';
import { type JobRunner, startJobRunner } from './runner.ts';

const database = await createTestDatabase();
const logger = createLogger('silent');
const connection = connectDatabase({ url: database.url, poolSize: 16, applicationName: 'test', logger });
const { db } = connection;
const runners = new Set<JobRunner>();
after(async () => {
  await Promise.all([...runners].map((runner) => runner.stop()));
  await connection.close();
  await database.drop();
});

async function start(jobs: Job[], leaseSeconds = 15): Promise<JobRunner> {
  const runner = await startJobRunner({
    databaseUrl: database.url,
    db,
    jobs,
    logger,
    meters: createJobMeters(new Registry()),
    concurrency: 2,
    leaseSeconds,
  });
  const stop = async () => {
    if (runners.delete(running)) await runner.stop();
  };
  const running = { stop };
  runners.add(running);
  return running;
}

const waitingJobs = async (name: string) => {
  const { rows } = await sql<{ attempts: number; locked: boolean }>`
    select attempts, locked_at is not null as locked from graphile_worker.jobs where task_identifier = ${name}`.execute(
    db,
  );
  return rows;
};

test('runs an enqueued job once, with its payload', async () => {
  const runs: object[] = [];
  const runner = await start([
    { name: 'greet', maxAttempts: 1, run: async (payload) => void runs.push(payload) },
  ]);
  await enqueueJob(db, 'greet', { name: 'Ada' }, { maxAttempts: 1 });
  await eventually(async () => assert.deepEqual(await waitingJobs('greet'), []));
  await runner.stop();
  assert.deepEqual(runs, [{ name: 'Ada' }]);
});

test('never runs a job whose transaction rolled back', async () => {
  const undone = db.transaction().execute(async (tx) => {
    await enqueueJob(tx, 'undone', {}, { maxAttempts: 1 });
    throw new Error('changed my mind');
  });
  await assert.rejects(undone, { message: 'changed my mind' });
  assert.deepEqual(await waitingJobs('undone'), []);
});

test('runs once for several jobs with one key', async () => {
  await enqueueJob(db, 'once', { n: 1 }, { key: 'once', maxAttempts: 1 });
  await enqueueJob(db, 'once', { n: 2 }, { key: 'once', maxAttempts: 1 });
  assert.equal((await waitingJobs('once')).length, 1);
});

test('runs again for a job that is enqueued while one with its key runs', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const runs: object[] = [];
  const run = async (payload: object) => {
    runs.push(payload);
    started.resolve();
    await finish.promise;
  };
  const runner = await start([{ name: 'look', maxAttempts: 3, run }]);
  await enqueueJob(db, 'look', { n: 1 }, { key: 'look', maxAttempts: 3 });
  await started.promise;
  await enqueueJob(db, 'look', { n: 2 }, { key: 'look', maxAttempts: 3 });
  await eventually(async () => assert.deepEqual(runs, [{ n: 1 }, { n: 2 }]));
  finish.resolve();
  await eventually(async () => assert.deepEqual(await waitingJobs('look'), []));
  await runner.stop();
  assert.equal(runs.length, 2);
});

test('runs a job again that enqueued itself under its own key and then failed', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs > 1) return;
    await enqueueJob(db, 'again', {}, { key: 'again', maxAttempts: 3 });
    throw new Error('after it had enqueued itself');
  };
  const runner = await start([{ name: 'again', maxAttempts: 3, run }]);
  await enqueueJob(db, 'again', {}, { key: 'again', maxAttempts: 3 });
  await eventually(async () => assert.equal(runs, 2));
  await runner.stop();
});

test('keeps a failed job for its next attempt', async () => {
  let attempts = 0;
  const fail = async () => {
    attempts += 1;
    throw new Error('not today');
  };
  const runner = await start([{ name: 'fail', maxAttempts: 5, run: fail }]);
  await enqueueJob(db, 'fail', {}, { maxAttempts: 5 });
  await eventually(async () => assert.deepEqual(await waitingJobs('fail'), [{ attempts: 1, locked: false }]));
  await runner.stop();
  assert.equal(attempts, 1);
});

test('aborts the signal of a running job when stopping, and waits for its end', async () => {
  const started = Promise.withResolvers<void>();
  let ended = false;
  const run = async (_: object, signal: AbortSignal) => {
    started.resolve();
    await once(signal, 'abort');
    ended = true;
  };
  const runner = await start([{ name: 'linger', maxAttempts: 1, run }]);
  await enqueueJob(db, 'linger', {}, { maxAttempts: 1 });
  await started.promise;
  await runner.stop();
  assert.equal(ended, true);
  assert.deepEqual(await waitingJobs('linger'), []);
});

test('runs the jobs of a killed process again', { timeout: 20_000 }, async () => {
  const worker = fork(fileURLToPath(new URL('../../../test/job-worker.ts', import.meta.url)), [database.url]);
  after(() => worker.kill('SIGKILL'));
  await enqueueJob(db, 'hold', {}, { maxAttempts: 3 });
  await once(worker, 'message');
  const again = Promise.withResolvers<void>();
  await start([{ name: 'hold', maxAttempts: 3, run: async () => again.resolve() }], 1);
  assert.deepEqual(await waitingJobs('hold'), [{ attempts: 1, locked: true }]);
  worker.kill('SIGKILL');
  await again.promise;
  await eventually(async () => assert.deepEqual(await waitingJobs('hold'), []));
});

/** A job that runs until `finish` is called, and then calls `beforeEnd` with the number of its runs. */
function heldJob(name: string, beforeEnd: (runs: number) => void = () => undefined) {
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  let runs = 0;
  const run = async () => {
    runs += 1;
    started.resolve();
    await finished.promise;
    beforeEnd(runs);
  };
  return {
    job: { name, maxAttempts: 3, run },
    started: started.promise,
    finish: () => finished.resolve(),
    runs: () => runs,
  };
}

test('does not unlock a long job whose process is alive', async () => {
  const { job, started, finish, runs } = heldJob('slow');
  const owner = await start([job], 1);
  await enqueueJob(db, 'slow', {}, { maxAttempts: 3 });
  await started;
  const other = await start([job], 1);
  await eventually(async () => {
    const { rows } = await sql<{ old: boolean }>`
      select locked_at < now() - interval '1500 milliseconds' as old
      from graphile_worker.jobs where task_identifier = 'slow'`.execute(db);
    assert.deepEqual(rows, [{ old: true }]);
  });
  finish();
  await eventually(async () => assert.deepEqual(await waitingJobs('slow'), []));
  await Promise.all([owner.stop(), other.stop()]);
  assert.equal(runs(), 1);
});

test('continues after its connections are cut', async () => {
  const runs: object[] = [];
  await start([{ name: 'resume', maxAttempts: 3, run: async (payload) => void runs.push(payload) }]);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'parley jobs'`.execute(db);
  await enqueueJob(db, 'resume', {}, { maxAttempts: 3 });
  await eventually(async () => assert.deepEqual(await waitingJobs('resume'), []), 10_000);
  assert.equal(runs.length, 1);
});

/** Cuts the connections of runners that wait for a lock, as soon as there is one. */
const cutTheWaiting = () =>
  eventually(async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'parley jobs' and wait_event_type = 'Lock'`.execute(
      db,
    );
    assert.ok(rows.length > 0);
  });

test('continues after the connections are cut while it looks up its tasks', async () => {
  const runs: object[] = [];
  await db.transaction().execute(async (tx) => {
    await sql`lock table graphile_worker._private_tasks in access exclusive mode`.execute(tx);
    await start([{ name: 'look up', maxAttempts: 3, run: async (payload) => void runs.push(payload) }]);
    await cutTheWaiting();
  });
  await enqueueJob(db, 'look up', {}, { maxAttempts: 3 });
  await eventually(async () => assert.deepEqual(await waitingJobs('look up'), []), 10_000);
  assert.equal(runs.length, 1);
});

for (const outcome of ['done', 'failed'] as const) {
  test(`runs a job again whose connections were cut while its end was written (${outcome})`, async () => {
    const { job, started, finish, runs } = heldJob(outcome, (time) => {
      if (outcome === 'failed' && time === 1) throw new Error('not today');
    });
    await start([job], 1);
    await enqueueJob(db, outcome, {}, { maxAttempts: 3 });
    await started;
    await db.transaction().execute(async (tx) => {
      await sql`select from graphile_worker._private_jobs where locked_at is not null for update`.execute(tx);
      finish();
      await cutTheWaiting();
    });
    await eventually(async () => assert.deepEqual(await waitingJobs(outcome), []));
    assert.equal(runs(), 2);
  });
}

test('unlocks a job after a lease when the reply to its fetch was lost', async () => {
  const later = new Date(Date.now() + 3_600_000);
  await enqueueJob(db, 'lost reply', {}, { maxAttempts: 3, runAt: later });
  const runs: object[] = [];
  await Promise.all([...runners].map((runner) => runner.stop()));
  await start([{ name: 'lost reply', maxAttempts: 3, run: async (payload) => void runs.push(payload) }], 1);
  await eventually(async () => assert.equal((await sql`select from job_runners`.execute(db)).rows.length, 1)); // the heartbeat has started
  await sql`
    update graphile_worker._private_jobs set run_at = now(), locked_at = now(), attempts = 1,
      locked_by = (select id from job_runners)
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'lost reply')`.execute(
    db,
  );
  await eventually(async () => assert.deepEqual(await waitingJobs('lost reply'), []));
  assert.equal(runs.length, 1);
});

test('installs the schema from several processes at once', async () => {
  const empty = await createEmptyDatabase();
  after(() => empty.drop());
  await Promise.all([1, 2, 3].map(() => installJobSchema(empty.url, logger)));
});
