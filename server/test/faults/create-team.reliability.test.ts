import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { teamRoutes } from '../../src/tenancy/teams/teams.routes.ts';
import { startTestApp } from '../harness.ts';

const { api, context } = await startTestApp({ routes: (deps) => [teamRoutes(deps)] });
const { db } = context;

/** The tables that one creation writes. */
const tables = ['teams', 'team_usage', 'users', 'idempotency_keys'] as const;

const rowCounts = async (): Promise<unknown> => {
  const counts = tables.map((table) => sql`(select count(*) from ${sql.table(table)}) as ${sql.ref(table)}`);
  return (await sql`select ${sql.join(counts)}`.execute(db)).rows;
};

const create = (key: string) =>
  api('POST', '/teams', {
    body: { user: { name: 'Ada', email: 'ada@example.com' }, team: { name: 'Harbour' } },
    headers: { 'idempotency-key': key },
  });

/** Triggers that fail a statement, with and without losing the connection. */
const failures = ['raise_error', 'lose_connection'] as const;

before(async () => {
  await sql`
    create function raise_error() returns trigger language plpgsql as
      $$ begin raise exception 'this statement fails'; end $$`.execute(db);
  await sql`
    create function lose_connection() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(db);
});

/** The trigger `broken` fails before or after each written row, or at the commit. */
const steps: [string, (failure: string) => RawBuilder<unknown>][] = [
  ...tables.flatMap((table) =>
    ['before', 'after'].map((when): (typeof steps)[number] => [
      `${when} the row of ${table} is inserted`,
      (failure) => sql`
        create trigger broken ${sql.raw(when)} insert on ${sql.table(table)}
        for each row execute function ${sql.raw(failure)}()`,
    ]),
  ),
  [
    'when the result is stored in idempotency_keys',
    (failure) => sql`
      create trigger broken before update on idempotency_keys
      for each row execute function ${sql.raw(failure)}()`,
  ],
  ...(['teams', 'idempotency_keys'] as const).map((table): (typeof steps)[number] => [
    `at the commit, for ${table}`,
    (failure) => sql`
      create constraint trigger broken after insert on ${sql.table(table)} deferrable initially deferred
      for each row execute function ${sql.raw(failure)}()`,
  ]),
];

describe('creating a team', () => {
  for (const [step, breakAt] of steps) {
    for (const failure of failures) {
      test(`leaves no rows after ${failure} ${step}; a retry with the same key succeeds`, async () => {
        const key = `${failure}, ${step}`.replaceAll(' ', '_');
        const countsBefore = await rowCounts();
        await breakAt(failure).execute(db);
        const { status, body } = await create(key);
        for (const table of tables)
          await sql`drop trigger if exists broken on ${sql.table(table)}`.execute(db);
        assert.deepEqual([status, body.code], [500, 'INTERNAL_ERROR']);
        assert.deepEqual(await rowCounts(), countsBefore);
        const retry = await create(key);
        assert.equal(retry.status, 200, JSON.stringify(retry.body));
        assert.equal(retry.headers.get('idempotent-replayed'), null);
      });
    }
  }
});
