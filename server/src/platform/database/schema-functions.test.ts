import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../../test/embedded-members.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { migrate } from './migrator.ts';
import { applyFunctions, type FunctionFile, readFunctionFiles } from './schema-functions.ts';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const greeting = (text: string): FunctionFile => {
  const sql = `create or replace function greet() returns text language sql as $$ select '${text}' $$;`;
  return { file: 'greet.sql', sql, checksum: createHash('sha256').update(sql).digest('hex') };
};
const greet = async () => (await client.query('select greet() as text')).rows[0]?.text;

test('applies a file again when its content changed, and only then', async () => {
  assert.deepEqual(await applyFunctions(client, { files: [greeting('hello')] }), ['greet.sql']);
  assert.deepEqual(await applyFunctions(client, { files: [greeting('hello')] }), []);
  assert.deepEqual(await applyFunctions(client, { files: [greeting('good day')] }), ['greet.sql']);
  assert.equal(await greet(), 'good day');
});

test('leaves the functions of a newer version alone, but replaces those of an older one', async () => {
  await applyFunctions(client, { files: [greeting('of 0.10')], own: '0.10.0' });
  assert.deepEqual(await applyFunctions(client, { files: [greeting('of 0.9')], own: '0.9.3' }), []);
  assert.equal(await greet(), 'of 0.10');
  await applyFunctions(client, { files: [greeting('of the next')], own: '0.11.0-dev' });
  assert.equal(await greet(), 'of the next');
});

test('changes nothing if a file fails, and names the file', async () => {
  const broken = {
    ...greeting('x'),
    sql: 'create or replace function half() returns int language sql as $$ select 1 $$; select 1 / 0',
  };
  await assert.rejects(
    applyFunctions(client, { files: [broken] }),
    /server\/schema\/functions\/greet\.sql could not be replaced: division by zero/,
  );
  const [row] = await queryOnce(
    database.url,
    "select to_regproc('half') as half, count(*)::int as files from schema_functions where file = 'greet.sql'",
  );
  assert.deepEqual(row, { half: null, files: 0 });
});

test('waits for a transaction that uses the table of a trigger, and does not make others wait for long', async () => {
  const files = await readFunctionFiles();
  const changed = files.map((file) =>
    file.file === 'count_teams.sql' ? { ...file, checksum: 'another' } : file,
  );
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  await writer.query('begin; update teams set name = name');
  const waits: object[] = [];
  const applied = applyFunctions(client, {
    files: changed,
    logger: { info: (fields: object) => void waits.push(fields) } as never,
  });
  await eventually(async () => assert.deepEqual(waits[0], { file: 'count_teams.sql' }));
  await writer.query('commit');
  await writer.end();
  assert.deepEqual(await applied, ['count_teams.sql']);
});

test('a start brings back a function that somebody dropped with its record, with its triggers', async () => {
  await client.query(
    "drop function count_teams cascade; delete from schema_functions where file = 'count_teams.sql'",
  );
  assert.deepEqual(await migrate(database.url), []);
  const { rows } = await client.query(
    "select count(*)::int as triggers from pg_trigger where tgname like 'teams_count_%'",
  );
  assert.deepEqual(rows, [{ triggers: 3 }]);
});

test('every column of an audited table is recorded or not recorded by decision', async () => {
  const { rows } = await client.query<{ table: string; decided: string[]; columns: string[] }>(`
    select tgrelid::regclass::text as table,
      (select array_agg(btrim(name, E' \\n') order by btrim(name, E' \\n')) from (
        select split_part(encode(tgargs, 'escape'), '\\000', 4) as recorded,
               split_part(encode(tgargs, 'escape'), '\\000', 5) as hidden) arguments,
        lateral unnest(string_to_array(recorded, ',') || string_to_array(nullif(hidden, ''), ',')) name) as decided,
      (select array_agg(attname::text order by attname::text) from pg_attribute
       where attrelid = tgrelid and attnum > 0 and not attisdropped) as columns
    from pg_trigger where tgfoid = 'audit_change'::regproc order by 1`);
  assert.ok(rows.length >= 13);
  for (const { table, decided, columns } of rows) {
    assert.deepEqual(decided.toSorted(), columns.toSorted(), `${table}: decide in audit_change.sql`);
  }
});
