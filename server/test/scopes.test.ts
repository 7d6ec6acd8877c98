import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type DescribedApi, startDescribedApi } from './openapi/described-api.ts';
import { type ApiOperation, collectionNamedBy, collectionOf } from './openapi/operations.ts';
import type { ApiRequest } from './openapi/requests.ts';
import { encodeRequest, type WireResponse } from './openapi/wire.ts';

/** Operations that return 403 to a key of scope `team`. */
const aboveTeams = [
  'createApiKey',
  'createTeam',
  'createUser',
  'deleteApiKey',
  'deleteHost',
  'deletePlan',
  'deleteTeam',
  'deleteUser',
  'drainPool',
  'getApiKey',
  'getHost',
  'inviteUser',
  'listApiKeys',
  'listPlans',
  'listPools',
  'listUsers',
  'putHost',
  'putPlan',
  'updateApiKey',
  'updateUser',
];

const api = await startDescribedApi();
const [mine, other] = [await api.createObjects(), await api.createObjects()];
const { token } = await api.issueKey({ teamId: mine['teams'] ?? '' });
const guarded = api.operations.filter(({ open }) => !open);
/** Deletions run last, those of parts before those of the whole, so that the other operations find their objects. */
const operations = [
  ...guarded.filter(({ method }) => method !== 'DELETE'),
  ...guarded
    .filter(({ method }) => method === 'DELETE')
    .toSorted((a, b) => b.path.split('/').length - a.path.split('/').length),
];
// Connecting would wait, because no pool runs.
await sql`update devices set status = 'started' where id = ${mine['devices']}`.execute(api.context.db);
await sql`
  with answer as (
    insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
    select gen_random_uuid(), team_id, ${mine['bots']}, 1, device_id, contact_number, true, 1,
           '{"pair": null, "passages": [], "actions": []}'
    from messages where id = ${mine['messages']} returning id
  )
  update messages set answer_id = answer.id from answer where messages.id = ${mine['messages']}`.execute(
  api.context.db,
);

const send = (request: ApiRequest): Promise<WireResponse> => api.wire.send(encodeRequest(request, token));

/** A team's key may not change most members of its team, and cannot name the partner's staff. */
const ownBodies: Record<string, object> = {
  updateTeam: { name: 'Quay' },
  assignConversation: { user_id: null },
};

const ownRequest = (operation: ApiOperation): ApiRequest => {
  const request = api.requestFor(operation, mine);
  return { ...request, headers: {}, body: ownBodies[operation.id] ?? request.body };
};

const within = () => operations.filter(({ id }) => !aboveTeams.includes(id));

test('rejects a team key in operations above a team', async () => {
  for (const operation of operations.filter(({ id }) => aboveTeams.includes(id))) {
    for (const team of [mine, other]) {
      const { status, json } = await send(api.requestFor(operation, team));
      assert.equal(status, 403, operation.id);
      assert.equal((json as { code: string }).code, 'FORBIDDEN', operation.id);
    }
  }
});

test("returns the same 404 to a team key for another team's object and for an unknown one", async () => {
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

test("rejects references to another team's objects in a body", async () => {
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
  assert.ok(references >= 5, `only ${references} members refer to an object`);
  assert.deepEqual(await rowsOf(api, other), before);
});

test("creates a new action if a team key sends the id of another team's action", async () => {
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

test('tests every team operation by its path, a reference or its list', () => {
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

test("limits lists to the team, also with filters on another team's objects", async () => {
  for (const operation of within().filter(({ method }) => method === 'GET')) {
    const request = { ...ownRequest(operation), query: [] };
    assertNothingOf(other, await send(request), operation);
    for (const { name } of operation.query) {
      const id = other[collectionNamedBy(name) ?? ''];
      if (id === undefined) continue;
      const { status, json } = await send({ ...request, query: [[name, id]] });
      if (operation.id === 'getContact') {
        assert.equal(status, 400, 'it is no list, and the team is like an unknown one');
        continue;
      }
      assert.equal(status, 200, operation.id);
      assert.deepEqual((json as { data: unknown }).data, [], `${operation.id} by ${name}`);
    }
  }
});

test('allows a team key the same requests with its own ids', async () => {
  const before = await rowsOf(api, other);
  // Updates of the bot replace its actions, so that none could be tried.
  for (const operation of within().filter(({ id }) => id !== 'tryBotAction')) {
    const answer = await send(ownRequest(operation));
    const { details } = (answer.json ?? {}) as { details?: { reason: string } };
    const stopped = answer.status === 400 && details?.reason !== 'validation';
    assert.ok(answer.status === 200 || stopped, `${operation.id}: ${answer.status} ${answer.text}`);
    assertNothingOf(other, answer, operation);
  }
  assert.deepEqual(await rowsOf(api, other), before);
});

/** Members that refer to an object of a team, including the upload's field. */
function referencesOf({ body, multipart }: ApiOperation, team: Record<string, string>): string[] {
  const names = Object.keys((body ?? multipart)?.properties ?? {});
  return names.filter((name) => team[collectionNamedBy(name) ?? ''] !== undefined);
}

function withReference(request: ApiRequest, name: string, id: string): ApiRequest {
  if (request.upload !== null) return { ...request, upload: { ...request.upload, fields: [[name, id]] } };
  // Operations with references have object bodies.
  return { ...request, body: { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id } };
}

const ownIds = ({
  plans: _,
  versions: __,
  'api-keys': ___,
  contacts: ____,
  pools: _____,
  ...ids
}: Record<string, string>): string[] => Object.values(ids);

function assertNothingOf(
  team: Record<string, string>,
  { text }: WireResponse,
  operation: ApiOperation,
): void {
  for (const id of ownIds(team)) assert.ok(!text.includes(id), `${operation.id} shows ${id}: ${text}`);
}

/** Returns every row that contains an id of the team. */
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
