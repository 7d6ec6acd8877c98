import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { startBlackholeProxy } from '../../../test/blackhole-proxy.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { isConnectionLost } from './connection-errors.ts';
import { connectDatabase } from './database.ts';

const database = await createTestDatabase();
after(() => database.drop());

/** Connects through a proxy that can silence the connections. Opens `poolSize` connections. */
async function connectThroughProxy(t: TestContext, poolSize: number) {
  const line = await startBlackholeProxy(database.url);
  const warnings: object[] = [];
  const { db, close } = connectDatabase({
    url: line.url,
    poolSize,
    applicationName: 'test',
    logger: { warn: (found: object) => void warnings.push(found) },
  });
  t.after(async () => {
    line.close();
    await close();
  });
  await Promise.all(Array.from({ length: poolSize }, () => sql`select pg_sleep(0.1)`.execute(db)));
  return { db, line, warnings };
}

test('one late statement replaces all silent connections, long before the response timeout', async (t) => {
  const { db, line, warnings } = await connectThroughProxy(t, 4);
  line.dropTraffic();
  await assert.rejects(sql`select 1`.execute(db), isConnectionLost);
  // The other three connections are gone, too: each would let one of these fail.
  await Promise.all(Array.from({ length: 4 }, () => sql`select 2`.execute(db)));
  assert.ok(warnings.some((found) => 'connections' in found && found.connections === 1));
});

test('a statement that the server still executes goes on', async (t) => {
  const { db, warnings } = await connectThroughProxy(t, 1);
  await sql`select pg_sleep(4)`.execute(db);
  assert.deepEqual(warnings, []);
});

test('a statement that waits for a lock goes on', async (t) => {
  const { db, warnings } = await connectThroughProxy(t, 2);
  await sql`create table counters as select 1 as n`.execute(db);
  const locked = Promise.withResolvers<void>();
  const holder = db.transaction().execute(async (tx) => {
    await sql`update counters set n = 2`.execute(tx);
    locked.resolve();
    await sql`select pg_sleep(4)`.execute(tx);
  });
  await locked.promise;
  await sql`update counters set n = 3`.execute(db);
  await holder;
  assert.deepEqual(warnings, []);
});

test('fails late statements when the server does not respond to new connections either', async (t) => {
  const { db, line } = await connectThroughProxy(t, 2);
  line.dropTraffic();
  line.dropNewTraffic();
  await assert.rejects(sql`select 1`.execute(db), isConnectionLost);
  line.restore();
  await eventually(async () => sql`select 2`.execute(db), 20_000);
});
