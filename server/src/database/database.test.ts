import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../../test/test-database.ts';
import { connectDatabase } from './database.ts';
import { prepare } from './prepare.ts';

const database = await createTestDatabase();
const connect = () =>
  connectDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: 'test',
    logger: { warn: () => undefined },
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

test('a statement that fails says who sent it, and its connection serves on', async () => {
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

test('a connection prepares each text with values once', async () => {
  for (const n of [1, 2, 3]) await sql`select ${n}::int + 40 as prepared_once`.execute(db);
  const { rows } = await sql<{ uses: number }>`
    select generic_plans + custom_plans as uses from pg_prepared_statements
    where statement like '%40 as prepared_once'`.execute(db);
  assert.deepEqual(rows, [{ uses: 3 }]);
});

test('a transaction is rolled back as a whole, also when the failure of its statement was passed over', async () => {
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

test('a connection that breaks inside a transaction fails it, and the next statement gets another', async () => {
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

test('changes tell how many rows they touched', async () => {
  await sql`create table touched (n int)`.execute(db);
  const inserted = await sql`insert into touched select generate_series(1, ${5}::int)`.execute(db);
  assert.equal(inserted.numAffectedRows, 5n);
  assert.equal((await sql`delete from touched where n > ${3}`.execute(db)).numAffectedRows, 2n);
});

test('a prepared statement takes the values of each call, inside a transaction and outside', async () => {
  const inWords = prepare<{ count: number; what: string }, { words: string }>(
    (value) => sql`select ${value('count')}::int || ${' '}::text || ${value('what')} as words`,
  );
  assert.deepEqual(await inWords(db, { count: 2, what: 'bicycles' }), [{ words: '2 bicycles' }]);
  const inside = await db.transaction().execute((tx) => inWords(tx, { count: 3, what: 'harbours' }));
  assert.deepEqual(inside, [{ words: '3 harbours' }]);
});
