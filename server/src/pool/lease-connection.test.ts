import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { eventually } from '../../test/eventually.ts';
import { startTestFoundations } from '../../test/harness.ts';
import { composePool } from '../compose.ts';

const leaseSeconds = 2;
const poolSize = 2;

test('a process whose database connections are all busy for longer than the lease keeps its devices', async () => {
  const foundations = await startTestFoundations({
    environment: { DATABASE_POOL_SIZE: String(poolSize), LEASE_SECONDS: String(leaseSeconds) },
  });
  const watcher = new pg.Client({ connectionString: foundations.databaseUrl });
  await watcher.connect();
  const pool = await composePool(foundations, () => 'http://127.0.0.1:9');
  const leases = async () => {
    const { rows } = await watcher.query<{ id: string; until: Date; over: boolean }>(
      'select id, lease_until as until, ended or lease_until <= now() as over from pools',
    );
    return rows;
  };
  const [before] = await leases();
  assert.ok(before);
  const release = Promise.withResolvers<void>();
  const busy = Array.from({ length: poolSize }, () =>
    foundations.db.connection().execute(async (own) => {
      await sql`select`.execute(own);
      await release.promise;
    }),
  );
  try {
    await eventually(async () => {
      const [now, ...others] = await leases();
      assert.ok(now);
      assert.deepEqual([now.id, now.over, others], [before.id, false, []]);
      assert.ok(now.until.getTime() > before.until.getTime() + 1500 * leaseSeconds);
    }, 8000);
  } finally {
    release.resolve();
    await Promise.all(busy);
    await pool.close();
    await watcher.end();
  }
});
