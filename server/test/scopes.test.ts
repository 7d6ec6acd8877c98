import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type DescribedApi, startDescribedApi } from './openapi/described-api.ts';
import { type ApiOperation, collectionNamedBy, collectionOf } from './openapi/operations.ts';
import type { ApiRequest } from './openapi/requests.ts';
import { encodeRequest, type WireResponse } from './openapi/wire.ts';

/** Operations above a team: a key of scope `team` gets 403. */
const aboveTeams = [
  'createApiKey',
  'createTeam',
  'deleteApiKey',
  'deletePlan',
  'deleteTeam',
  'getApiKey',
  'listApiKeys',
  'listPlans',
  'listPools',
  'putPlan',
  'updateApiKey',
];

const api = await startDescribedApi();
const [mine, other] = [await api.furnish(), await api.furnish()];
const { token } = await api.issueKey({ teamId: mine['teams'] ?? '' });
const guarded = api.operations.filter(({ open }) => !open);
/** Deletions come last, so that all else has something to be about. */
const operations = [
  ...guarded.filter(({ method }) => method !== 'DELETE'),
  ...guarded.filter(({ method }) => method === 'DELETE'),
];
// Nobody is there to connect it, which would be waited for.
await sql`update devices set status = 'started' where id = ${mine['devices']}`.execute(api.context.db);

const send = (request: ApiRequest): Promise<WireResponse> => api.wire.send(encodeRequest(request, token));

const ownRequest = (operation: ApiOperation): ApiRequest => {
  const request = api.requestFor(operation, mine);
  // Most of what a team's update can change is above the team.
  const body = operation.id === 'updateTeam' ? { name: 'Quay' } : request.body;
  return { ...request, headers: {}, body };
};

const within = () => operations.filter(({ id }) => !aboveTeams.includes(id));

test('a key of scope team is refused by the operations above a team, whatever it asks for', async () => {
  for (const operation of operations.filter(({ id }) => aboveTeams.includes(id))) {
    for (const team of [mine, other]) {
      const { status, json } = await send(api.requestFor(operation, team));
      assert.equal(status, 403, operation.id);
      assert.equal((json as { code: string }).code, 'FORBIDDEN', operation.id);
    }
  }
});

test('a key of scope team finds nothing of another team by a path, and is told what it is told of nothing', async () => {
  const before = await rowsOf(api, other);
  for (const operation of within()) {
    for (const parameter of operation.pathParameters) {
      const collection = collectionOf(operation, parameter);
      if (other[collection] === mine[collection]) continue;
      const request = ownRequest(operation);
      const answers = await Promise.all(
        [other[collection] ?? '', (other[collection] ?? '').toUpperCase(), crypto.randomUUID()].map((id) =>
          send({ ...request, path: { ...request.path, [parameter]: id } }),
        ),
      );
      const where = `${operation.id} {${parameter}}`;
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404],
        where,
      );
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1, where);
    }
  }
  assert.deepEqual(await rowsOf(api, other), before);
});

test("a key of scope team cannot refer to another team's objects in a body", async () => {
  const before = await rowsOf(api, other);
  let references = 0;
  for (const operation of within()) {
    for (const name of referencesOf(operation, other)) {
      references += 1;
      const id = other[collectionNamedBy(name) ?? ''] ?? '';
      const request = ownRequest(operation);
      const answer = await send(withReference(request, name, id));
      const nothing = await send(withReference(request, name, crypto.randomUUID()));
      assert.ok([400, 404].includes(answer.status), `${operation.id} ${name}: ${answer.status}`);
      assert.deepEqual(
        [answer.status, answer.text],
        [nothing.status, nothing.text],
        `${operation.id} ${name}`,
      );
      assertNothingOf(other, answer, operation);
    }
  }
  assert.ok(references >= 5, `only ${references} members refer to anything`);
  assert.deepEqual(await rowsOf(api, other), before);
});

test("a key of scope team that gives its action the id of another team's has an action of its own", async () => {
  const action = { name: 'Hours', description: 'Opening hours', endpoint: 'https://a.example/', body: [] };
  await api.api('PATCH', `/bots/${other['bots']}`, { body: { actions: [action] } });
  const [{ id }] = await actionsOf(other['bots']);
  const before = await rowsOf(api, other);
  const actions = [{ ...action, id, endpoint: 'https://b.example/' }];
  const { status } = await api.api('PATCH', `/bots/${mine['bots']}`, { token, body: { actions } });
  assert.equal(status, 200);
  assert.equal((await actionsOf(mine['bots']))[0].endpoint, 'https://b.example/');
  assert.deepEqual(await rowsOf(api, other), before);
});

const actionsOf = async (botId: string | undefined) =>
  (await api.api('GET', `/bots/${botId}`)).body.data.actions;

test('every operation within a team is tried by a path, a reference, or what it lists', () => {
  const untried = within().filter(
    (operation) =>
      operation.pathParameters.length === 0 &&
      referencesOf(operation, other).length === 0 &&
      operation.method !== 'GET',
  );
  assert.deepEqual(
    untried.map(({ id }) => id),
    [],
  );
});

test("a key of scope team gets empty lists when it filters by another team's objects, and its own alone without a filter", async () => {
  for (const operation of within().filter(({ method }) => method === 'GET')) {
    const request = { ...ownRequest(operation), query: [] };
    assertNothingOf(other, await send(request), operation);
    for (const { name } of operation.query) {
      const id = other[collectionNamedBy(name) ?? ''];
      if (id === undefined) continue;
      const { status, json } = await send({ ...request, query: [[name, id]] });
      assert.equal(status, 200, operation.id);
      assert.deepEqual((json as { data: unknown }).data, [], `${operation.id} by ${name}`);
    }
  }
});

test('a key of scope team may do all of it with its own: what was refused was refused for its ids alone', async () => {
  const before = await rowsOf(api, other);
  for (const operation of within()) {
    const answer = await send(ownRequest(operation));
    const { details } = (answer.json ?? {}) as { details?: { reason: string } };
    const stopped = answer.status === 400 && details?.reason !== 'validation';
    assert.ok(answer.status === 200 || stopped, `${operation.id}: ${answer.status} ${answer.text}`);
    assertNothingOf(other, answer, operation);
  }
  assert.deepEqual(await rowsOf(api, other), before);
});

/** Members that name an object of a team, the upload's field included. */
function referencesOf({ body, multipart }: ApiOperation, team: Record<string, string>): string[] {
  const names = Object.keys((body ?? multipart)?.properties ?? {});
  return names.filter((name) => team[collectionNamedBy(name) ?? ''] !== undefined);
}

function withReference(request: ApiRequest, name: string, id: string): ApiRequest {
  if (request.upload !== null) return { ...request, upload: { ...request.upload, fields: [[name, id]] } };
  // Operations with references take an object.
  return { ...request, body: { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id } };
}

const ownIds = ({ plans: _, versions: __, 'api-keys': ___, ...ids }: Record<string, string>): string[] =>
  Object.values(ids);

function assertNothingOf(
  team: Record<string, string>,
  { text }: WireResponse,
  operation: ApiOperation,
): void {
  for (const id of ownIds(team)) assert.ok(!text.includes(id), `${operation.id} shows ${id}: ${text}`);
}

/** Every row of every table in which an id of the team stands. */
async function rowsOf(api: DescribedApi, team: Record<string, string>): Promise<Record<string, unknown>> {
  const { db } = api.context;
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'embedded_provider')`.execute(db);
  const pattern = ownIds(team).join('|');
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.raw(name)} t where to_jsonb(t)::text ~ ${pattern}
      order by 1`.execute(db);
    if (rows.length > 0) found[name] = rows.map(({ row }) => row);
  }
  return found;
}
