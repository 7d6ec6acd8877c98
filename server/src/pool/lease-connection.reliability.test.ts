import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startBlackholeProxy } from '../../test/blackhole-proxy.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { connectDatabase } from '../platform/database/database.ts';
import { composePool } from '../process/compose/pool.ts';

const leaseSeconds = 2;
const poolSize = 2;

test('a process whose database connections are busy for longer than the lease keeps its devices', async () => {
  const context = await startTestContext({
    environment: { DATABASE_POOL_SIZE: String(poolSize), LEASE_SECONDS: String(leaseSeconds) },
  });
  const watcher = new pg.Client({ connectionString: context.databaseUrl });
  await watcher.connect();
  const pool = await composePool(context, context, () => 'http://127.0.0.1:9');
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
    context.db.connection().execute(async (own) => {
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

test('renews on another connection before the lease is lost when its connection hangs', async (t) => {
  const context = await startTestContext({ environment: { LEASE_SECONDS: '4' } });
  const proxy = await startBlackholeProxy(context.databaseUrl);
  t.after(() => proxy.close());
  const warned = t.mock.method(context.logger, 'warn');
  const pool = await composePool({ ...context, databaseUrl: proxy.url }, context, () => 'http://127.0.0.1:9');
  const leaseUntil = async () => {
    const { rows } = await sql<{ until: Date }>`select lease_until as until from pools`.execute(context.db);
    return rows[0]?.until.getTime();
  };
  const waitForRenewal = async () => {
    const before = await leaseUntil();
    await eventually(async () => assert.notEqual(await leaseUntil(), before), 8000);
  };
  try {
    await waitForRenewal();
    proxy.dropTraffic();
    await waitForRenewal(); // this renewal may already have been sent
    await waitForRenewal();
    const lost = warned.mock.calls.filter(({ arguments: [, text] }) =>
      String(text).includes('lease is lost'),
    );
    assert.deepEqual(lost, []);
  } finally {
    await pool.close();
  }
});

test('a pool stops although its database is unavailable', async (t) => {
  const context = await startTestContext();
  const proxy = await startBlackholeProxy(context.databaseUrl);
  t.after(() => proxy.close());
  const { logger } = context;
  const behind = connectDatabase({ url: proxy.url, poolSize: 2, applicationName: 'test', logger });
  t.after(() => behind.close());
  const warned = t.mock.method(logger, 'warn');
  const pool = await composePool(
    { ...context, databaseUrl: proxy.url, db: behind.db },
    context,
    () => 'http://127.0.0.1:9',
  );
  proxy.close();
  await pool.close();
  assert.ok(warned.mock.calls.some(({ arguments: [, text] }) => String(text).includes('ends by itself')));
});

test('keeps the lease connection between two renewals of a long lease', { timeout: 20_000 }, async (t) => {
  const renewEveryMs = 50_000;
  // Before the first connection: the mock cannot clear a real timer of an idle one, which would keep this process alive.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const context = await startTestContext({ environment: { LEASE_SECONDS: '600' } });
  const watcher = new pg.Client({ connectionString: context.databaseUrl });
  await watcher.connect();
  const pool = await composePool(context, context, () => 'http://127.0.0.1:9');
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
  /**
   * Advances the clock to the next renewal in `inSteps` steps, and again after 300 reads without a renewal: the database
   * shows a renewed lease before the pool has scheduled the next renewal.
   */
  const waitForRenewal = async (inSteps: number) => {
    const until = await leaseUntil();
    for (let step = 0; (await leaseUntil()) === until; step += 1)
      t.mock.timers.tick(step % (inSteps + 300) < inSteps ? renewEveryMs / inSteps : 0);
  };
  try {
    await waitForRenewal(1);
    const connections = await leaseConnections();
    assert.equal(connections.length, 1);
    await waitForRenewal(20);
    assert.deepEqual(await leaseConnections(), connections);
  } finally {
    t.mock.timers.reset();
    await pool.close();
    await watcher.end();
  }
});
