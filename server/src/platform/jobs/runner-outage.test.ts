import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { eventually } from '../../../test/eventually.ts';
import { startScratchServer } from '../../../test/scratch-server.ts';
import { connectDatabase } from '../database/database.ts';
import { migrate } from '../database/migrator.ts';
import { createLogger } from '../shared/logger.ts';
import { enqueueJob } from './enqueue.ts';
import { createJobMeters } from './job-metrics.ts';
import { installJobSchema } from './job-schema.ts';
import { startJobRunner } from './runner.ts';

const server = await startScratchServer();
const logger = createLogger('silent');
await migrate(server.url);
await installJobSchema(server.url, { warn: () => undefined, trace: () => undefined });
const connection = connectDatabase({ url: server.url, poolSize: 4, applicationName: 'test', logger });
const { db } = connection;
after(async () => {
  await connection.close();
  await server.remove();
});

for (const outcome of ['fails', 'is done'] as const) {
  test(`runs a job once, and survives, when it ${outcome} while the database is down`, async (t) => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    let runs = 0;
    const run = async () => {
      runs += 1;
      started.resolve();
      await finish.promise;
      if (outcome === 'fails') throw new Error('the database is down');
    };
    const runner = await startJobRunner({
      databaseUrl: server.url,
      db,
      jobs: [
        { name: outcome, maxAttempts: 5, run },
        { name: 'other', maxAttempts: 5, run: async () => undefined },
      ],
      logger,
      meters: createJobMeters(new Registry()),
      concurrency: 2,
      leaseSeconds: 1,
    });
    t.after(() => runner.stop());
    const waiting = async (name: string) => {
      const { rows } = await sql<{ locked: boolean }>`
        select locked_at is not null as locked from graphile_worker.jobs where task_identifier = ${name}`.execute(
        db,
      );
      return rows;
    };
    await enqueueJob(db, outcome, {}, { maxAttempts: 5 });
    await started.promise;
    await server.stop('immediate');
    finish.resolve();
    // The library would have tried to write the end of the job by now.
    await assert.rejects(sql`select`.execute(db));
    await server.start();
    await eventually(async () =>
      assert.deepEqual(await waiting(outcome), outcome === 'fails' ? [{ locked: false }] : []),
    );
    await enqueueJob(db, 'other', {}, { maxAttempts: 5 });
    await eventually(async () => assert.deepEqual(await waiting('other'), []));
    assert.equal(runs, 1, 'the end was written when the database was back');
  });
}
