import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../../test/test-database.ts';
import { PreparedQuery, PreparedStatements } from './prepared-query.ts';

const database = await createTestDatabase();
const clients: pg.Client[] = [];
after(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

const statements = new PreparedStatements((type) => pg.types.getTypeParser(type));

/** Opens a connection that counts the row descriptions it receives. */
async function connect() {
  const client = new pg.Client({ connectionString: database.url });
  clients.push(client);
  await client.connect();
  const seen = { descriptions: 0 };
  class CountingQuery extends PreparedQuery {
    override handleRowDescription(...message: Parameters<PreparedQuery['handleRowDescription']>): void {
      seen.descriptions += 1;
      super.handleRowDescription(...message);
    }
  }
  const query = (name: string, text: string, ...values: unknown[]): Promise<unknown[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    client.query(
      new CountingQuery(statements, { name, text, values }, (error, result) =>
        result === undefined ? reject(error) : resolve(result.rows),
      ),
    );
    return promise;
  };
  return { client, query, seen };
}

test('describes a statement once per connection and reads its rows alike each time', async () => {
  const [{ query, seen }, other] = [await connect(), await connect()];
  const text = `select n, null as nothing, array['a', n::text] as list, to_timestamp(n) as at
                from generate_series(1, $1::int) n`;
  const row = (n: number) => ({ n, nothing: null, list: ['a', String(n)], at: new Date(n * 1000) });
  assert.deepEqual(await query('rows', text, 2), [row(1), row(2)]);
  assert.deepEqual(await query('rows', text, 1), [row(1)]);
  assert.deepEqual(await query('rows', text, 0), []);
  assert.deepEqual(await query('rows', text, 3), [row(1), row(2), row(3)]);
  assert.equal(seen.descriptions, 1);
  assert.deepEqual(await other.query('rows', text, 1), [row(1)]);
  assert.deepEqual(await other.query('rows', text, 1), [row(1)]);
  assert.equal(other.seen.descriptions, 1);
});

test('interleaves with other named and unnamed statements', async () => {
  const { client, query } = await connect();
  for (let n = 0; n < 3; n += 1) {
    assert.deepEqual(await query('one', 'select $1::int as one', n), [{ one: n }]);
    assert.deepEqual(await query('two', 'select $1::text as two, true as yes', 'x'), [
      { two: 'x', yes: true },
    ]);
    assert.deepEqual((await client.query('select 3 as three')).rows, [{ three: 3 }]);
    assert.deepEqual((await client.query('select $1::text as four', ['y'])).rows, [{ four: 'y' }]);
  }
});

test('executes a statement again after it failed, before and after its first description', async () => {
  const { query } = await connect();
  const read = (value: string) => query('inverse', 'select 6 / $1::int as inverse', value);
  await assert.rejects(read('none'), /invalid input syntax/);
  await assert.rejects(read('0'), /division by zero/);
  assert.deepEqual(await read('2'), [{ inverse: 3 }]);
  await assert.rejects(read('0'), /division by zero/);
  await assert.rejects(read('none'), /invalid input syntax/);
  assert.deepEqual(await read('3'), [{ inverse: 2 }]);
});

test('rejects a statement once after its columns changed, then reads the new columns', async () => {
  const { client, query } = await connect();
  await client.query('create table shapes as select 1 as a');
  const text = 'select * from shapes where a = $1';
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await query('shapes', text, 1), [{ a: 1 }]);
  await client.query(`alter table shapes add column b text default 'new'`);
  await assert.rejects(query('shapes', text, 1), /cached plan must not change result type/);
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await query('shapes', text, 1), [{ a: 1, b: 'new' }]);
});

test('reports the command and the number of rows, with and without rows to return', async () => {
  const { client } = await connect();
  await client.query('create table counted (n int)');
  const run = (name: string, text: string, ...values: unknown[]) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    client.query(
      new PreparedQuery(statements, { name, text, values }, (error, result) => resolve(error ?? result)),
    );
    return promise;
  };
  for (let n = 0; n < 2; n += 1) {
    const inserted = await run('fill', 'insert into counted select generate_series(1, $1::int)', 5);
    assert.deepEqual(inserted, { rows: [], rowCount: 5, command: 'INSERT' });
  }
  const read = await run('read', 'select n from counted where n = $1', 5);
  assert.deepEqual(read, { rows: [{ n: 5 }, { n: 5 }], rowCount: 2, command: 'SELECT' });
});

test('sends every kind of parameter so that PostgreSQL reads the same value', async () => {
  const { query } = await connect();
  const time = new Date('2026-11-22T16:00:00.123Z');
  const kinds: [type: string, value: unknown, read?: unknown][] = [
    ['text', 'a "quoted" \\ text, {with} everything ✓'],
    ['text', null],
    ['int', 7],
    ['boolean', false],
    ['timestamptz', time],
    ['bytea', Buffer.from([0, 1, 92, 34, 255])],
    ['bytea', new Uint8Array([0, 255]), Buffer.from([0, 255])],
    ['jsonb', { a: [1, null, { b: '\\"' }] }],
    ['text[]', ['', 'NULL', 'null', '"', '\\', ',', '{}', null]],
    ['int[]', [1, null, 3]],
    ['boolean[]', [true, false]],
    ['timestamptz[]', [time, null]],
    ['bytea[]', [Buffer.from([0, 92, 255]), null]],
    [
      'int[][]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['text[]', []],
  ];
  for (const [index, [type, value, expected = value]] of kinds.entries()) {
    const rows = await query(`kind ${index}`, `select $1::${type} as value`, value);
    assert.deepEqual(rows, [{ value: expected }], type);
  }
});

test('reports a parameter that cannot be encoded and keeps the connection', async () => {
  const { query } = await connect();
  const circular: { self?: unknown } = {};
  circular.self = circular;
  await assert.rejects(query('json', 'select $1::jsonb as value', circular), /circular/);
  assert.deepEqual(await query('json', 'select $1::jsonb as value', { a: 1 }), [{ value: { a: 1 } }]);
});
