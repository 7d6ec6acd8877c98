import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openTestContext, startApiOn, startTestContext } from '../../../test/harness.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { deleteTeamRoutes } from '../../lifecycle/team-deletion/delete-team.routes.ts';
import type { Database } from '../../platform/database/database.ts';
import { selectTeams } from './teams.queries.ts';
import { teamRoutes } from './teams.routes.ts';
import type { ListTeams } from './teams.schemas.ts';

/** Counts teams with count(*) and with the counters in one snapshot. */
async function bothCounts(db: Database) {
  const { rows } = await sql<Record<'teams' | 'paying' | 'counted' | 'counted_paying', number>>`
    select (select count(*) from teams) as teams, (select count(*) from teams where paying) as paying,
           (select sum(teams)::int from team_counts) as counted,
           (select sum(paying)::int from team_counts) as counted_paying`.execute(db);
  return rows[0] ?? assert.fail();
}

async function assertCounted(db: Database): Promise<void> {
  const { teams, paying, counted, counted_paying } = await bothCounts(db);
  assert.deepEqual({ counted, counted_paying }, { counted: teams, counted_paying: paying });
}

test('returns exact totals in every snapshot while 50 clients write on two processes', async () => {
  const database = await createTestDatabase();
  after(() => database.drop());
  const processes = [await openTestContext(database.url), await openTestContext(database.url)];
  after(() => Promise.all(processes.map((context) => context.close())));
  const [first, second] = await Promise.all(
    processes.map((context) =>
      startApiOn(context, {
        routes: (deps) => [teamRoutes(deps), deleteTeamRoutes(deps)],
      }),
    ),
  );
  if (first === undefined || second === undefined) return assert.fail();
  const { db } = first.context;
  const user = { name: 'Ana', email: 'ana@example.com' };
  const live = async (turn: number) => {
    const { api } = turn % 2 === 0 ? first : second;
    const plan_name = turn % 3 === 0 ? 'free' : 'pro';
    const { body } = await api('POST', '/teams', {
      body: { user, team: { name: `Team ${turn}`, plan_name } },
    });
    const path = `/teams/${body.data.team.id}`;
    for (const paying of [true, false, turn % 5 === 0]) {
      assert.equal((await api('PATCH', path, { body: { paying } })).status, 200);
    }
    if (turn % 4 === 0) assert.equal((await api('DELETE', path)).status, 200);
  };
  let isOver = false;
  const watch = async () => {
    while (!isOver) await assertCounted(db);
  };
  const watching = watch();
  await Promise.all(Array.from({ length: 50 }, (_, turn) => live(turn)));
  isOver = true;
  await watching;
  const totalOf = async (query: string) =>
    (await first.api('GET', `/teams?limit=1&${query}`)).body.meta.total;
  // 13 of the 50 teams are deleted, among them three of the ten paying ones (every fifth).
  assert.equal(await totalOf(''), 37);
  assert.equal(await totalOf('paying=true'), 7);
  assert.equal(await totalOf('paying=false'), 30);
});

const { db } = await startTestContext();

const insert = (name: string, paying: boolean, createdAt: number) =>
  sql`
  insert into teams (id, name, plan_name, paying, created_at)
  values (${crypto.randomUUID()}, ${name}, 'pro', ${paying}, ${new Date(createdAt)})`.execute(db);

test('counts teams through every kind of statement and ignores rollbacks', async () => {
  await sql`
    insert into teams (id, name, plan_name, paying)
    select gen_random_uuid(), 'Team ' || n, 'pro', n % 3 = 0 from generate_series(1, 100) n`.execute(db);
  await assertCounted(db);
  await sql`update teams set paying = not paying where name < 'Team 5'`.execute(db);
  await assertCounted(db);
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await sql`delete from teams where paying`.execute(tx);
      throw new Error('taken back');
    }),
    /taken back/,
  );
  await assertCounted(db);
  await sql`with gone as (delete from teams where paying returning id) select count(*) from gone`.execute(db);
  await assertCounted(db);
  await sql`
    insert into teams (id, name, plan_name, paying)
    select id, name, plan_name, paying from teams
    on conflict (id) do update set paying = true`.execute(db);
  await assertCounted(db);
  await sql`delete from teams`.execute(db);
  assert.equal((await bothCounts(db)).counted, 0);
});

const character = fc.constantFrom(...'aAbBcC1 %_\\éÉßя東');
const text = fc.string({ unit: character, minLength: 1, maxLength: 8 });
const partOf = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.nat(8), fc.nat(8), fc.boolean()).map(([name, from, to, isUpper]) => {
    const part = name.slice(from, to);
    return isUpper ? part.replaceAll('ß', 'x').toUpperCase() : part;
  });

test('returns for every page and filter the result of sorting, slicing and counting the whole table', async () => {
  const names = fc.sample(text, { numRuns: 150, seed: 20 });
  // Few distinct timestamps, so that many teams differ only in their ids.
  for (const [n, name] of names.entries())
    await insert(name, n % 3 === 0, 1_700_000_000_000 + (n % 7) * 1000);
  const { rows: newestFirst } = await sql<{ id: string; name: string; paying: boolean }>`
    select id, name, paying from teams order by created_at desc, id desc`.execute(db);
  const queries = fc.record<ListTeams>(
    {
      page: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 160 })),
      limit: fc.oneof(fc.constantFrom(1, 20, 100), fc.integer({ min: 1, max: 100 })),
      name: fc.oneof(partOf(names), text),
      paying: fc.boolean(),
    },
    { requiredKeys: ['page', 'limit'] },
  );
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const { page, limit, name = '', paying } = query;
      const expected = newestFirst.filter(
        (team) =>
          team.name.toLowerCase().includes(name.toLowerCase()) && (paying ?? team.paying) === team.paying,
      );
      const { rows, total } = await selectTeams(db, { kind: 'all' }, query);
      assert.equal(total, expected.length);
      const ids = expected.slice((page - 1) * limit, page * limit).map(({ id }) => id);
      assert.deepEqual(
        rows.map(({ id }) => id),
        ids,
      );
    }),
    { numRuns: 500 },
  );
});

test('finds substrings with wildcards or with one or two characters literally', async () => {
  for (const name of ['100% wool', '100 wool', 'w_l', 'back\\slash', 'Ümit', '東京タワー'])
    await insert(name, true, 0);
  const found = async (name: string) => {
    const { rows, total } = await selectTeams(db, { kind: 'all' }, { page: 1, limit: 100, name });
    assert.equal(total, rows.length);
    return rows.map((row) => row.name).sort();
  };
  assert.deepEqual(await found('00% W'), ['100% wool']);
  assert.deepEqual(await found('w_L'), ['w_l']);
  assert.deepEqual(await found('k\\slash'), ['back\\slash']);
  assert.deepEqual(await found('ü'), ['Ümit']);
  assert.deepEqual(await found('MI'), ['Ümit']);
  assert.deepEqual(await found('京タ'), ['東京タワー']);
  assert.deepEqual(await found('wool%'), []);
});
