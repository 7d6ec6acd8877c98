import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startUploadApp } from '../../../test/upload-app.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { selectDocuments } from './documents.queries.ts';
import type { ListDocuments } from './documents.schemas.ts';

const { api, createTeam, upload, context } = await startUploadApp();
const { db } = context;

/** Where the counters and the live documents differ, in one snapshot. */
async function differences(): Promise<unknown[]> {
  const { rows } = await sql`
    with live as (select team_id, type from documents where state = 'live')
    select coalesce(counted.team_id, real.team_id), counted.documents as counted, real.documents as there
    from document_counts counted
    full join (select team_id, type, count(*) as documents from live group by team_id, type) real using (team_id, type)
    where counted.documents is distinct from real.documents
    union all
    select null, counted.documents, real.documents
    from (select type, sum(documents) as documents from document_totals group by type having sum(documents) <> 0) counted
    full join (select type, count(*) as documents from live group by type) real using (type)
    where counted.documents is distinct from real.documents`.execute(db);
  return rows;
}

const readTotal = async (query: string): Promise<number> =>
  (await api('GET', `/documents?limit=1&${query}`)).body.meta.total;

test('keeps totals exact in every snapshot while documents and teams are added and deleted', async () => {
  const [kept, doomed] = [await createTeam(), await createTeam()];
  let isOver = false;
  const watch = async () => {
    while (!isOver) assert.deepEqual(await differences(), []);
  };
  const watching = watch();
  const turns = Array.from({ length: 20 }, async (_, turn) => {
    const { status, body } = await upload({ teamId: turn % 2 === 0 ? kept : doomed, name: `${turn}.txt` });
    if (turn % 2 === 1) return;
    assert.equal(status, 200);
    if (turn % 4 === 0) assert.equal((await api('DELETE', `/documents/${body.data.id}`)).status, 200);
  });
  await turns[5];
  assert.equal((await api('DELETE', `/teams/${doomed}`)).status, 200);
  await Promise.all(turns);
  isOver = true;
  await watching;
  assert.equal(await readTotal(`team_id=${doomed}`), 0);
  assert.equal(await readTotal(`team_id=${kept}`), 5);
  assert.equal(await readTotal(''), 5);
  assert.equal(await readTotal('type=pdf'), 0);
});

test('every page of every filter matches a sorted scan of the whole table', async () => {
  const teams = [await createTeam({ documents: 500 }), await createTeam()];
  for (const [n, teamId] of teams.entries()) {
    await sql`
      insert into documents (id, team_id, state, name, type, size, ai_provider_id, file_key, chars, charged_characters,
                             created_at)
      select gen_random_uuid(), ${teamId}::uuid, case when n % 10 = 0 then 'uploading' else 'live' end,
             'Price_' || n || '.x', (array['pdf', 'txt', 'docx', 'doc'])[1 + n * n % 4], 1, 'ref', 'key', 1, 1,
             now() - make_interval(secs => n / 3)
      from generate_series(1, ${40 + n * 20}::int) n`.execute(db);
  }
  assert.deepEqual(await differences(), []);
  const { rows: newestFirst } = await sql<{ id: string; team_id: string; type: string; name: string }>`
    select id, team_id, type, name from documents where state = 'live' order by created_at desc, id desc`.execute(
    db,
  );
  const [first = '', second = ''] = teams;
  const filters: Omit<ListDocuments, 'page' | 'limit'>[] = [
    {},
    { type: 'txt' },
    { team_id: first },
    { team_id: second, type: 'pdf' },
    { team_id: second, type: 'doc' },
    { name: 'CE_1' },
    { team_id: first, name: '_3' },
    { team_id: crypto.randomUUID() },
  ];
  const scopes: Scope[] = [{ kind: 'all' }, { kind: 'team', teamId: second }];
  for (const scope of scopes) {
    for (const filter of filters) {
      const expected = newestFirst.filter(
        (document) =>
          (scope.kind === 'all' || scope.teamId === document.team_id) &&
          (filter.team_id ?? document.team_id) === document.team_id &&
          (filter.type ?? document.type) === document.type &&
          document.name.toLowerCase().includes((filter.name ?? '').toLowerCase()),
      );
      for (const limit of [7, 100]) {
        for (let page = 1; (page - 2) * limit <= expected.length; page++) {
          const { rows, total } = await selectDocuments(db, scope, { ...filter, page, limit });
          assert.equal(total, expected.length);
          const ids = expected.slice((page - 1) * limit, page * limit).map(({ id }) => id);
          assert.deepEqual(
            rows.map(({ id }) => id),
            ids,
          );
        }
      }
    }
  }
});
