import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../test/test-database.ts';
import { Descriptions, PreparedQuery } from './prepared-query.ts';

const database = await createTestDatabase();
const clients: pg.Client[] = [];
after(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

const descriptions = new Descriptions();

/** A connection, which counts the descriptions that it gets. */
async function connect() {
  const client = new pg.Client({ connectionString: database.url });
  clients.push(client);
  await client.connect();
  const seen = { descriptions: 0 };
  class Watched extends PreparedQuery {
    override handleRowDescription(message: unknown): void {
      seen.descriptions += 1;
      super.handleRowDescription(message);
    }
  }
  const ask = (name: string | undefined, text: string, ...values: unknown[]): Promise<unknown[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    client.query(
      new Watched(descriptions, { ...(name === undefined ? {} : { name }), text, values }, (error, result) =>
        error ? reject(error) : resolve(result.rows),
      ),
    );
    return promise;
  };
  return { ask, seen };
}

test('a prepared statement is described once a connection, and its rows are read alike each time', async () => {
  const [{ ask, seen }, other] = [await connect(), await connect()];
  const text = `select n, null as nothing, array['a', n::text] as list, to_timestamp(n) as at
                from generate_series(1, $1::int) n`;
  const row = (n: number) => ({ n, nothing: null, list: ['a', String(n)], at: new Date(n * 1000) });
  assert.deepEqual(await ask('rows', text, 2), [row(1), row(2)]);
  assert.deepEqual(await ask('rows', text, 1), [row(1)]);
  assert.deepEqual(await ask('rows', text, 0), []);
  assert.deepEqual(await ask('rows', text, 3), [row(1), row(2), row(3)]);
  assert.equal(seen.descriptions, 1);
  assert.deepEqual(await other.ask('rows', text, 1), [row(1)]);
  assert.deepEqual(await other.ask('rows', text, 1), [row(1)]);
  assert.equal(other.seen.descriptions, 1);
});

test('statements between one another, with and without names, keep their own rows', async () => {
  const { ask } = await connect();
  for (let n = 0; n < 3; n += 1) {
    assert.deepEqual(await ask('one', 'select $1::int as one', n), [{ one: n }]);
    assert.deepEqual(await ask('two', 'select $1::text as two, true as yes', 'x'), [{ two: 'x', yes: true }]);
    assert.deepEqual(await ask(undefined, 'select 3 as three'), [{ three: 3 }]);
    assert.deepEqual(await ask(undefined, 'select $1::text as four', 'y'), [{ four: 'y' }]);
  }
});

test('one that fails, before it was described or after, is as good as before', async () => {
  const { ask } = await connect();
  const read = (value: string) => ask('inverse', 'select 6 / $1::int as inverse', value);
  await assert.rejects(read('none'), /invalid input syntax/);
  await assert.rejects(read('0'), /division by zero/);
  assert.deepEqual(await read('2'), [{ inverse: 3 }]);
  await assert.rejects(read('0'), /division by zero/);
  await assert.rejects(read('none'), /invalid input syntax/);
  assert.deepEqual(await read('3'), [{ inverse: 2 }]);
});

test('where the rows of a statement have become others it is refused, and a new connection reads them', async () => {
  const { ask } = await connect();
  await ask(undefined, 'create table shapes as select 1 as a');
  const text = 'select * from shapes where a = $1';
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await ask('shapes', text, 1), [{ a: 1 }]);
  await ask(undefined, `alter table shapes add column b text default 'new'`);
  await assert.rejects(ask('shapes', text, 1), /cached plan must not change result type/);
  const later = await connect();
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await later.ask('shapes', text, 1), [{ a: 1, b: 'new' }]);
});
