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

test('between two renewals of a long lease its connection stays', { timeout: 20_000 }, async (t) => {
  const renewEveryMs = 100_000;
  const foundations = await startTestFoundations({ environment: { LEASE_SECONDS: '600' } });
  const watcher = new pg.Client({ connectionString: foundations.databaseUrl });
  await watcher.connect();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pool = await composePool(foundations, () => 'http://127.0.0.1:9');
  const leaseConnections = async () => {
    const { rows } = await watcher.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'parley lease'`,
    );
    return rows.map(({ pid }) => pid);
  };
  const leaseUntil = async () => {
    const { rows } = await watcher.query<{ until: Date }>('select lease_until as until from pools');
    return rows[0]?.until.getTime();
  };
  /** `passMs`: how much time passes while it is looked. */
  const untilRenewedAfter = async (until: number | undefined, passMs: number) => {
    while ((await leaseUntil()) === until) t.mock.timers.tick(passMs);
  };
  try {
    const begun = await leaseUntil();
    t.mock.timers.tick(renewEveryMs);
    await untilRenewedAfter(begun, 0);
    const connections = await leaseConnections();
    assert.equal(connections.length, 1);
    await untilRenewedAfter(await leaseUntil(), renewEveryMs / 20);
    assert.deepEqual(await leaseConnections(), connections);
  } finally {
    t.mock.timers.reset();
    await pool.close();
    await watcher.end();
  }
});
