import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../src/platform/shared/ids.ts';
import { startDescribedApi } from './openapi/described-api.ts';

const api = await startDescribedApi();
const { db } = api.context;
const objects = await api.createObjects();
const teamId = objects['teams'] ?? '';

interface Listed {
  id: string;
  created_at: string;
}

interface List {
  path: string;
  add: (id: string, createdAt: Date) => Promise<unknown>;
}

/** Copies a row of the team under a new id and a new time of creation. */
const copyOf = (table: string, changes: (id: string) => object = () => ({})) => {
  return async (id: string, createdAt: Date) => {
    const values = JSON.stringify({ ...changes(id), id, created_at: createdAt });
    await sql`
      insert into ${sql.table(table)}
      select (jsonb_populate_record(t, ${values}::jsonb)).*
      from ${sql.table(table)} t where t.id = ${objects[table] ?? ''} `.execute(db);
  };
};

const lists: List[] = [
  { path: '/teams?', add: copyOf('teams') },
  {
    path: `/documents?team_id=${teamId}`,
    add: copyOf('documents', (id) => ({ file_key: id, ai_provider_id: id })),
  },
  { path: `/bots?team_id=${teamId}`, add: copyOf('bots', (id) => ({ ai_provider_id: id, vector_id: id })) },
  { path: `/devices?team_id=${teamId}`, add: copyOf('devices', () => ({ phone_number: null })) },
  { path: `/messages?team_id=${teamId}`, add: addMessage },
  { path: `/conversations/${objects['conversations']}/messages?`, add: addMessage },
  {
    path: `/conversations?team_id=${teamId}`,
    add: copyOf('conversations', (id) => ({ contact_number: `+1555${Number.parseInt(id.slice(-6), 16)}` })),
  },
];

async function addMessage(id: string, createdAt: Date): Promise<void> {
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
    values (${id}, ${teamId}, ${objects['devices'] ?? ''}, '+15550199', 'in', 'contact', 'text', 'Hello', ${id}, 'answered',
            ${createdAt})`.execute(db);
}

async function read(
  list: List,
  query: string,
): Promise<{ data: Listed[]; meta: { next_cursor?: string | null } }> {
  const { status, body } = await api.api('GET', `${list.path}&${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  const { data, meta = {} } = body;
  return { data, meta };
}

/** Returns the ids of all pages of two, and adds an object before each. */
async function walk(list: List): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null | undefined = ''; after !== null; ) {
    const { data, meta } = await read(list, `limit=2&after=${after}`);
    ids.push(...data.map(({ id }) => id));
    assert.notEqual(meta.next_cursor, undefined);
    after = meta.next_cursor;
    await list.add(newId(), new Date());
  }
  return ids;
}

for (const list of lists) {
  const name = list.path.split('?')[0]?.replaceAll(/[\da-f-]{36}/g, '{id}');
  test(`a cursor of ${name} repeats and skips nothing`, async () => {
    const now = Date.now();
    // Two are of the same millisecond.
    for (const ago of [100_000, 200_000, 200_000, 300_000]) await list.add(newId(), new Date(now - ago));
    const before = (await read(list, 'limit=100')).data.map(({ id }) => id);
    assert.ok(before.length >= 4);
    assert.deepEqual(await walk(list), before);
    assert.equal('next_cursor' in (await read(list, 'limit=100')).meta, false);
  });

  test(`${name} filters by the time of creation`, async () => {
    await list.add(newId(), new Date(Date.now() - 400_000));
    const { data } = await read(list, 'limit=100');
    const times = data.map(({ created_at }) => created_at);
    const [since, until] = [times.at(-1) ?? '', times.at(-2) ?? ''];
    const within = await read(list, `limit=100&since=${since}&until=${until}`);
    const expected = data.filter(({ created_at: at }) => at >= since && at < until).map(({ id }) => id);
    assert.ok(expected.length > 0 && expected.length < data.length);
    assert.deepEqual(
      within.data.map(({ id }) => id),
      expected,
    );
  });
}

test('refuses a cursor of another form', async () => {
  for (const after of ['x', '1-2', '99999999999999-019a0000-0000-7000-8000-000000000000']) {
    const { status, body } = await api.api('GET', `/teams?after=${after}`);
    assert.equal(status, 400);
    assert.deepEqual(body.details.issues, [
      { path: 'after', message: 'must be empty or a next_cursor of this list' },
    ]);
  }
});
