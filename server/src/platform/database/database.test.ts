import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { startBlackholeProxy } from '../../../test/blackhole-proxy.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { isConnectionLost } from './connection-errors.ts';
import { connectDatabase, type Database } from './database.ts';
import { prepare } from './prepare.ts';

const database = await createTestDatabase();
const connect = (options: { url?: string; responseTimeoutMs?: number } = {}) =>
  connectDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: 'test',
    logger: { warn: () => undefined },
    ...options,
  });
const { db, close } = connect();
after(async () => {
  await close();
  await database.drop();
});

const pid = async (): Promise<number> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
};

test('keeps the stack of the caller in the error of a failed statement, and reuses the connection', async () => {
  const before = await pid();
  async function divide() {
    await sql`select 1 / ${0}::int`.execute(db);
  }
  await assert.rejects(divide, (error: Error & { code?: string }) => {
    assert.equal(error.code, '22012');
    assert.match(error.stack ?? '', /at (async )?divide/);
    return true;
  });
  assert.equal(await pid(), before);
});

test('prepares each parameterized statement once per connection', async () => {
  for (const n of [1, 2, 3]) await sql`select ${n}::int + 40 as prepared_once`.execute(db);
  const { rows } = await sql<{ uses: number }>`
    select generic_plans + custom_plans as uses from pg_prepared_statements
    where statement like '%40 as prepared_once'`.execute(db);
  assert.deepEqual(rows, [{ uses: 3 }]);
});

test('rolls back the whole transaction, even if the failure of a statement was caught', async () => {
  await sql`create table numbers (n int primary key)`.execute(db);
  const insert = (n: number) => sql`insert into numbers values (${n})`;
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      throw new Error('changed its mind');
    }),
    /changed its mind/,
  );
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await insert(2).execute(tx);
      await insert(2)
        .execute(tx)
        .catch(() => undefined);
    }),
  );
  await db.transaction().execute(async (tx) => insert(3).execute(tx));
  assert.deepEqual((await sql`select n from numbers`.execute(db)).rows, [{ n: 3 }]);
});

test('fails a transaction whose connection breaks, and uses another connection next', async () => {
  const other = connect();
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(other.db);
      await sql`select 1`.execute(tx);
    }),
  );
  await other.close();
  assert.ok((await pid()) > 0);
});

for (const [how, ask] of [
  ['a statement', (on: Database) => sql`select 1`.execute(on)],
  ['a transaction', (on: Database) => on.transaction().execute((tx) => sql`select 1`.execute(tx))],
] as const) {
  test(`fails ${how} on an unresponsive connection in time, and uses another connection next`, async (t) => {
    const line = await startBlackholeProxy(database.url);
    const cutOff = connect({ url: line.url, responseTimeoutMs: 1000 });
    t.after(async () => {
      line.close();
      await cutOff.close();
    });
    await ask(cutOff.db);
    line.dropTraffic();
    await assert.rejects(ask(cutOff.db));
    await ask(cutOff.db);
  });
}

test('fails a transaction whose connection stops responding, and uses another connection next', async (t) => {
  const line = await startBlackholeProxy(database.url);
  const cutOff = connect({ url: line.url, responseTimeoutMs: 1000 });
  t.after(async () => {
    line.close();
    await cutOff.close();
  });
  const transaction = cutOff.db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    line.dropTraffic();
    await sql`select 2`.execute(tx);
  });
  await assert.rejects(transaction, isConnectionLost);
  await sql`select 3`.execute(cutOff.db);
});

test('returns the number of changed rows', async () => {
  await sql`create table touched (n int)`.execute(db);
  const inserted = await sql`insert into touched select generate_series(1, ${5}::int)`.execute(db);
  assert.equal(inserted.numAffectedRows, 5n);
  assert.equal((await sql`delete from touched where n > ${3}`.execute(db)).numAffectedRows, 2n);
});

test('passes the values of each call to a prepared statement, inside and outside a transaction', async () => {
  const inWords = prepare<{ count: number; what: string }, { words: string }>(
    (value) => sql`select ${value('count')}::int || ${' '}::text || ${value('what')} as words`,
  );
  assert.deepEqual(await inWords(db, { count: 2, what: 'bicycles' }), [{ words: '2 bicycles' }]);
  const inside = await db.transaction().execute((tx) => inWords(tx, { count: 3, what: 'harbours' }));
  assert.deepEqual(inside, [{ words: '3 harbours' }]);
});

test('closes after the response timeout when a statement gets no response', {
  timeout: 10_000,
}, async (t) => {
  const line = await startBlackholeProxy(database.url);
  t.after(() => line.close());
  const cutOff = connect({ url: line.url, responseTimeoutMs: 1000 });
  await sql`select 1`.execute(cutOff.db);
  line.dropTraffic();
  const asked = assert.rejects(sql`select 2`.execute(cutOff.db), isConnectionLost);
  await setImmediate(); // sent
  await cutOff.close();
  await asked;
});
