import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { Registry } from 'prom-client';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { connectDatabase } from '../database/database.ts';
import { createLogger } from '../shared/logger.ts';
import { createJobMeters } from './job-metrics.ts';
import { startJobRunner } from './runner.ts';

const database = await createTestDatabase();
const logger = createLogger('silent');
const connection = connectDatabase({ url: database.url, poolSize: 8, applicationName: 'test', logger });
const { db } = connection;
after(async () => {
  await connection.close();
  await database.drop();
});

const start = () =>
  startJobRunner({
    databaseUrl: database.url,
    db,
    jobs: [{ name: 'any', maxAttempts: 1, run: async () => undefined }],
    logger,
    meters: createJobMeters(new Registry()),
    concurrency: 1,
  });

/** Waits until one of the runner's connections waits for a lock, and selects `selected` for those. */
const selectWaiting = (selected: RawBuilder<unknown>) =>
  eventually(async () => {
    const { rows } = await sql`
      select ${selected} from pg_stat_activity
      where datname = current_database() and application_name = 'parley jobs' and wait_event_type = 'Lock'`.execute(
      db,
    );
    assert.ok(rows.length > 0);
  });

test('stops a runner that is just restarting', { timeout: 30_000 }, async () => {
  const tasks = await db.startTransaction().execute();
  await sql`lock table graphile_worker._private_tasks in access exclusive mode`.execute(tasks);
  const runner = await start();
  await selectWaiting(sql`pg_terminate_backend(pid)`);
  const migrations = await db.startTransaction().execute();
  await sql`lock table graphile_worker.migrations in access exclusive mode`.execute(migrations);
  await tasks.commit().execute();
  await selectWaiting(sql`pid`);
  const stopped = runner.stop();
  await migrations.commit().execute();
  await stopped;
});
