import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { rotateKeyForOperator } from '../src/tenancy/api-keys/operator-keys.ts';
import { partnerRoles, type Role, rolesOf, teamRoles } from '../src/tenancy/roles/roles.ts';
import { startDescribedApi } from './openapi/described-api.ts';
import type { ApiOperation } from './openapi/operations.ts';
import { encodeRequest } from './openapi/wire.ts';

const api = await startDescribedApi();
const [mine, other] = [await api.createObjects(), await api.createObjects()];
const guarded = api.operations.filter(({ open }) => !open);
const reads = ({ method }: ApiOperation) => method === 'GET';

const opensTo = (role: string, of: 'partner' | 'team', which = (_: ApiOperation) => true) =>
  guarded.filter((operation) => which(operation) && operation.roles[of].includes(role)).map(({ id }) => id);

interface Outcome {
  status: number;
  reason: string | undefined;
}

function requestFor(operation: ApiOperation, team: Record<string, string>) {
  const request = { ...api.requestFor(operation, team), headers: {} };
  // The other members of a team belong to the partner.
  return operation.id === 'updateTeam' ? { ...request, body: { name: 'Quay' } } : request;
}

/**
 * Sends a valid request with the ids of a team. With `stopped`, an unknown query parameter ends it after the check of the role
 * and before any effect.
 */
async function call(
  operation: ApiOperation,
  token: string,
  team: Record<string, string>,
  { stopped }: { stopped: boolean },
): Promise<Outcome> {
  const request = requestFor(operation, team);
  const query = stopped ? [['no_parameter', '1'] as const] : request.query;
  const { status, json } = await api.wire.send(encodeRequest({ ...request, query }, token));
  const { details, error } = (json ?? {}) as { details?: { reason: string }; error?: { details?: object } };
  return { status, reason: (details ?? (error?.details as typeof details))?.reason };
}

const refused = (outcome: Outcome, where: string) =>
  assert.ok(
    outcome.status === 403 && ['role', 'scope'].includes(outcome.reason ?? ''),
    `${where}: ${JSON.stringify(outcome)}`,
  );

/** Whether the path or the body contains an id of the other team. */
function namesOtherTeam(operation: ApiOperation): boolean {
  const { path, body, upload } = requestFor(operation, other);
  const named = JSON.stringify([path, body, upload?.fields]);
  return Object.entries(other).some(([name, id]) => id !== mine[name] && named.includes(id));
}

for (const role of teamRoles) {
  test(`the team role ${role} may call exactly its operations, and only on its own team`, async () => {
    const { token } = await api.issueKey({ teamId: mine['teams'] ?? '', role });
    for (const operation of guarded) {
      const where = `${operation.id} as ${role}`;
      const allowed = operation.roles.team.includes(role);
      const own = await call(operation, token, mine, { stopped: allowed && !reads(operation) });
      if (!allowed) {
        refused(own, where);
        refused(await call(operation, token, other, { stopped: false }), `${where}, other team`);
        continue;
      }
      assertReached(operation, own, where);
      if (!namesOtherTeam(operation)) continue;
      const foreign = await call(operation, token, other, { stopped: false });
      assert.ok([400, 404].includes(foreign.status), `${where}, other team: ${JSON.stringify(foreign)}`);
    }
  });
}

for (const role of partnerRoles) {
  test(`the partner role ${role} may call exactly its operations, on every team`, async () => {
    const { token } = await api.issueKey({ role });
    for (const operation of guarded) {
      for (const team of [mine, other]) {
        const where = `${operation.id} as partner's ${role}`;
        const allowed = operation.roles.partner.includes(role);
        const outcome = await call(operation, token, team, { stopped: allowed && !reads(operation) });
        if (allowed) assertReached(operation, outcome, where);
        else refused(outcome, where);
      }
    }
  });
}

function assertReached(operation: ApiOperation, { status, reason }: Outcome, where: string): void {
  const stopped = { status: 400, reason: 'validation' };
  // No model answered the message of the fixture.
  const found = operation.id === 'getMessageAnswer' ? [404] : [200];
  if (reads(operation)) assert.ok(found.includes(status), `${where}: ${status}`);
  else assert.deepEqual({ status, reason }, stopped, where);
}

test('every operation is open to some role, and each role has the rights of the lower ones', () => {
  const lists: [readonly Role[], 'partner' | 'team'][] = [
    [partnerRoles, 'partner'],
    [teamRoles, 'team'],
  ];
  assert.deepEqual(
    guarded.filter(({ roles }) => roles.partner.length === 0).map(({ id }) => id),
    [],
  );
  for (const [roles, of] of lists) {
    for (const [index, role] of roles.entries()) {
      const lower = opensTo(roles[index - 1] ?? '', of);
      assert.deepEqual(
        lower.filter((id) => !opensTo(role, of).includes(id)),
        [],
        role,
      );
    }
  }
  assert.deepEqual(opensTo('owner', 'partner').length, guarded.length);
});

test('viewers only read, agents also converse, and nothing above editors but the team itself is left to owners', () => {
  const conversing = [
    'answerConversation',
    'answerWaiting',
    'assignConversation',
    'closeConversation',
    'createNote',
    'createPortalLink',
    'exportContact',
    'importConsents',
    'labelConversation',
    'markConversationRead',
    'noteTyping',
    'pauseConversation',
    'putConsent',
    'putSavedReplies',
    'rateMessage',
    'resumeConversation',
    'sendFileToConversation',
    'sendMessage',
    'updateContact',
    'writeToConversation',
  ];
  const writes = (operation: ApiOperation) => !reads(operation);
  assert.deepEqual(opensTo('viewer', 'team', writes), []);
  assert.deepEqual(opensTo('support', 'partner', writes).sort(), conversing);
  assert.deepEqual(opensTo('agent', 'team', writes).sort(), ['eraseContact', ...conversing].sort());
  const editors = new Set(opensTo('editor', 'team'));
  assert.deepEqual(
    opensTo('owner', 'team')
      .filter((id) => !editors.has(id))
      .sort(),
    [
      'createTeamMember',
      'deleteGate',
      'deleteTeamMember',
      'inviteTeamMember',
      'putBrand',
      'putGate',
      'putHours',
      'updateTeam',
      'updateTeamMember',
    ],
  );
  const readers = new Set(opensTo('viewer', 'team'));
  assert.deepEqual(
    guarded
      .filter((operation) => reads(operation) && !readers.has(operation.id))
      .map(({ id }) => id)
      .sort(),
    ['getApiKey', 'getHost', 'listApiKeys', 'listPlans', 'listPools', 'listUsers'],
  );
});

test('an operation that the table does not name is closed to every role', () => {
  assert.deepEqual(rolesOf('constructor'), { partner: [], team: [], portal: [] });
});

test('roles below editor see no device token, no code that links a phone and no value of an action header', async () => {
  const { bots, devices, teams } = mine;
  const action = {
    name: 'Stock',
    description: 'x',
    endpoint: 'https://a.example/',
    headers: { 'X-Key': 'canary-1' },
  };
  await api.api('PATCH', `/bots/${bots}`, { body: { actions: [action] } });
  assert.equal((await api.api('POST', `/bots/${bots}/publish`)).status, 200);
  const { body: versions } = await api.api('GET', `/bots/${bots}/versions`);
  await sql`
    update devices set status = 'started', pairing_phone_number = '+15550123', qr_text = 'ABCD-1234',
      qr_expires_at = now() + interval '1 hour', logged_in = false, connected = false where id = ${devices}`.execute(
    api.context.db,
  );
  const see = async (token: string) => {
    const get = async (path: string) => (await api.api('GET', path, { token })).body.data;
    const inVersion = await get(`/bots/${bots}/versions/${versions.data[0].version}`);
    return {
      tokens: [(await get(`/devices/${devices}`)).token, (await get(`/devices?team_id=${teams}`))[0].token],
      headers: [(await get(`/bots/${bots}`)).actions[0].headers.value, inVersion.actions[0].headers.value],
      code: (await get(`/devices/${devices}/status`)).pairing_code,
    };
  };
  const { token: whole } = await api.issueKey();
  const everything = await see(whole);
  assert.match(everything.tokens[0], /^dt_/);
  assert.deepEqual(everything.headers, ['canary-1', 'canary-1']);
  assert.equal(everything.code, 'ABCD-1234');
  const nothing = { tokens: ['', ''], headers: ['', ''], code: undefined };
  for (const role of teamRoles) {
    const { token } = await api.issueKey({ teamId: teams ?? '', role });
    assert.deepEqual(await see(token), ['viewer', 'agent'].includes(role) ? nothing : everything, role);
  }
  for (const role of partnerRoles) {
    const { token } = await api.issueKey({ role });
    assert.deepEqual(await see(token), role === 'support' ? nothing : everything, `partner's ${role}`);
  }
});

test('a key grants no rights above its own: only owners create, revive or end keys of scope global', async () => {
  const { token } = await api.issueKey({ role: 'admin' });
  const global = await api.issueKey();
  const attempts = [
    ['POST', '/api-keys', { name: 'k' }],
    ['POST', '/api-keys', { name: 'k', role: 'owner' }],
    ['POST', '/api-keys', { name: 'k', role: 'support' }],
    ['PATCH', `/api-keys/${global.keyId}`, { is_active: false }],
    ['DELETE', `/api-keys/${global.keyId}`, undefined],
  ] as const;
  for (const [method, path, body] of attempts) {
    const answer = await api.api(method, path, { token, ...(body === undefined ? {} : { body }) });
    assert.deepEqual([answer.status, answer.body.details.reason], [403, 'role'], `${method} ${path}`);
  }
  const key = await createKey({ scope: 'team', team_id: mine['teams'], role: 'owner' }, token);
  assert.equal((await api.api('GET', `/api-keys/${key.key_id}`, { token })).body.data.role, 'owner');
  assert.equal(
    (await api.api('PATCH', `/api-keys/${key.key_id}`, { token, body: { is_active: false } })).status,
    200,
  );
  assert.equal((await api.api('DELETE', `/api-keys/${key.key_id}`, { token })).status, 200);
});

const createKey = async (body: object, token = api.key.token) => {
  const { status, body: answer } = await api.api('POST', '/api-keys', {
    token,
    body: { name: 'k', ...body },
  });
  assert.equal(status, 200);
  return answer.data as { key_id: string };
};

test('a role must be one of the scope, and rotation keeps it', async () => {
  const team = { scope: 'team', team_id: mine['teams'] };
  for (const body of [
    { role: 'viewer' },
    { ...team, role: 'admin' },
    { ...team, role: 'none' },
    { role: null },
  ]) {
    const { status, body: answer } = await api.api('POST', '/api-keys', { body: { name: 'k', ...body } });
    assert.deepEqual([status, answer.details.issues[0].path], [400, 'role'], JSON.stringify(body));
  }
  const key = await createKey({ ...team, role: 'viewer' });
  const { db, encryption } = api.context;
  const rotated = await rotateKeyForOperator(db, encryption, { keyId: key.key_id, hours: 1 });
  assert.equal((await api.api('GET', `/api-keys/${rotated?.keyId}`)).body.data.role, 'viewer');
  const { body: unlimited } = await api.api('GET', `/api-keys/${api.key.keyId}`);
  assert.ok(!('role' in unlimited.data));
});
