import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTableReferences } from './sql-tables.ts';
import { findForeignSql } from './table-ownership.ts';

const find = (file: string, source: string) => findForeignSql(new Map([[`server/src/${file}`, source]]), []);

/** Without columns of aliases. `@` stands for the `$` of an interpolation. */
const tables = (source: string) =>
  findTableReferences(source.replaceAll('@{', '$' + '{'))
    .map(({ table }) => table)
    .filter((table) => !/^\w\./.test(table));

test('finds relations in every position of a statement', () => {
  assert.deepEqual(
    tables('sql`select a from bots b join teams t on t.id = b.team_id, lateral (select from plans) p`'),
    ['bots', 'teams', 'plans'],
  );
  assert.deepEqual(tables('sql`update devices d set a = b from pools p, teams where true`'), [
    'devices',
    'pools',
    'teams',
  ]);
  assert.deepEqual(tables('sql`delete from devices using @{brief}, teams where true`'), ['devices', 'teams']);
  assert.deepEqual(
    tables('sql`insert into teams (id, name) select id, name from plans for update of plans`'),
    ['teams', 'plans'],
  );
  assert.deepEqual(
    tables('sql`select from @{fragment}, unnest(@{ids}::uuid[]) as x (id) join bots using (id)`'),
    ['unnest', 'bots'],
  );
  assert.deepEqual(tables('sql`select graphile_worker.add_job(a)`'), ['graphile_worker.add_job']);
});

test('ignores columns, literals, comments and other templates', () => {
  assert.deepEqual(tables("sql`select bots, 'from teams', m.teams from usage order by devices, plans`"), [
    'usage',
  ]);
  assert.deepEqual(tables('// sql`select from teams`\n/** sql`select from bots` */\n'), []);
  assert.deepEqual(tables('log(`removed from teams`); const pattern = /`/u;'), []);
});

test('reads nested templates and typed tags', () => {
  assert.deepEqual(
    tables('sql<Map<string, Row[]>>`select from a where @{x ? sql`exists (select from b)` : c}`').toSorted(),
    ['a', 'b'],
  );
});

test('reads the calls of the query builder, sql.table() and the table of a list', () => {
  assert.deepEqual(tables("db.selectFrom('bots').innerJoin('teams as t', 't.id', 'b.team_id')"), [
    'bots',
    'teams',
  ]);
  assert.deepEqual(tables("sql.table(all ? 'document_totals' : 'document_counts')"), [
    'document_totals',
    'document_counts',
  ]);
  assert.deepEqual(tables("selectMatchingPage(db, { table: 'messages', columns })"), ['messages']);
});

test('names the file, the table and its owner for reads and for writes', () => {
  for (const statement of [
    'sql`select from teams`',
    "db.updateTable('teams')",
    'sql`insert into teams values (1)`',
    'sql`delete from teams`',
  ]) {
    assert.deepEqual(find('knowledge/bots/bots.queries.ts', `export const change = () => ${statement};`), [
      'knowledge/bots/bots.queries.ts: change names the table teams of tenancy/: use what its *.sql.ts files export',
    ]);
  }
  assert.equal(
    find('knowledge/bots/bots.queries.ts', 'sql`select from embedded_provider.documents`').length,
    0,
  );
});

test('allows the whole room of the owner, tests and columns of the same name', () => {
  assert.deepEqual(find('tenancy/teams/teams.queries.ts', 'sql`select from teams`'), []);
  assert.deepEqual(find('knowledge/search/a.queries.ts', 'sql`select from embedded_provider.postings`'), []);
  assert.deepEqual(find('knowledge/bots/bots.test.ts', 'sql`select from teams`'), []);
  assert.deepEqual(find('devices/pools/pools.sql.ts', 'sql`update pools set devices = devices + 1`'), []);
});

test('accepts a listed statement and reports an entry that matches nothing', () => {
  const entry = {
    file: 'knowledge/bots/bots.queries.ts',
    declaration: 'lockBot',
    tables: ['teams', 'plans'],
    reason: 'one round trip',
  };
  const sources = new Map([
    ['server/src/knowledge/bots/bots.queries.ts', 'const lockBot = sql`select from teams`;'],
  ]);
  assert.deepEqual(findForeignSql(sources, [{ ...entry, tables: ['teams'] }]), []);
  assert.deepEqual(findForeignSql(sources, [entry]), [
    'scripts/check/shared-statements.ts: nothing matches "knowledge/bots/bots.queries.ts lockBot plans": remove it from the list',
  ]);
  assert.equal(findForeignSql(sources, [{ ...entry, declaration: 'other', tables: ['teams'] }]).length, 2);
});

test('reports a table without an owner', () => {
  const schema = 'export interface DB {\n  teams: Teams;\n  invoices: Invoices;\n}\n';
  assert.deepEqual(
    findForeignSql(new Map([['server/src/platform/database/schema.generated.ts', schema]]), []),
    ['the table invoices has no owner: add it to scripts/check/tables.ts'],
  );
});

test('reads the functions of the database: each belongs to a room and names its tables only', () => {
  const findIn = (source: string) => findForeignSql(new Map([['server/schema/functions/f.sql', source]]), []);
  const count = (room: string) =>
    `-- Room: ${room}\ncreate or replace function f() returns trigger as $$ begin update public.team_counts set teams = 1; end $$;\n` +
    'create or replace trigger a after update on teams for each row execute function f();';
  assert.deepEqual(findIn(count('tenancy')), []);
  assert.deepEqual(findIn(count('chat')), [
    'f.sql: f names the table team_counts of tenancy/: use what its *.sql.ts files export',
  ]);
});
