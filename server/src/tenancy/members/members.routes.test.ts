import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';

const { api, context, issueKey } = await startTestApp();
const elsewhere = await openTestContext(context.databaseUrl);
const other = await startApiOn(elsewhere);
after(() => elsewhere.close());

const ana = { name: 'Ana', email: 'ana@example.com' };
const noor = { name: 'Noor', email: 'noor@example.com', phone: '+15550142' };

async function newTeam(members = 10): Promise<{ id: string; base: string; owner: string }> {
  const team = { name: 'Quay', quotas: { members } };
  const { body } = await api('POST', '/teams', { body: { user: ana, team } });
  const { id } = body.data.team;
  return { id, base: `/teams/${id}/members`, owner: body.data.user.id };
}

const add = async (base: string, role: string) =>
  (await api('POST', base, { body: { ...noor, role } })).body.data;

const membersUsed = async (id: string) =>
  (await api('GET', `/teams/${id}/usage`)).body.data.quotas.members.used;

test('adds, lists, changes and removes members of a team', async () => {
  const { id, base, owner } = await newTeam();
  const created = await api('POST', base, { body: { ...noor, role: 'agent' } });
  assert.equal(created.status, 200);
  const { invitation_url, expires_at, mailed, ...member } = created.body.data;
  const { id: userId, created_at, ...rest } = member;
  assert.deepEqual(rest, {
    ...noor,
    role: 'agent',
    state: 'invited',
    last_seen_at: null,
    has_picture: false,
  });
  assert.equal(mailed, false);
  assert.equal(await membersUsed(id), 2);
  const roles = async () =>
    (await api('GET', base)).body.data.map((member: { id: string; role: string }) => [
      member.id,
      member.role,
    ]);
  assert.deepEqual(await roles(), [
    [userId, 'agent'],
    [owner, 'owner'],
  ]);
  const changed = await api('PATCH', `${base}/${userId}`, { body: { role: 'editor', phone: null } });
  assert.deepEqual(changed.body.data, { ...member, phone: null, role: 'editor' });
  assert.deepEqual((await api('PATCH', `${base}/${userId}`, { body: {} })).body.data, changed.body.data);
  assert.equal((await api('DELETE', `${base}/${userId}`)).status, 200);
  assert.deepEqual(await roles(), [[owner, 'owner']]);
  assert.equal(await membersUsed(id), 1);
  assert.equal((await api('DELETE', `${base}/${userId}`)).body.details.reason, 'member_not_found');
});

test("keeps the partner's staff apart from the members of teams", async () => {
  const { id, base } = await newTeam();
  const member = await add(base, 'viewer');
  const person = await add('/users', 'support');
  assert.equal(person.role, 'support');
  const listed = (await api('GET', '/users')).body.data.map((user: { id: string }) => user.id);
  assert.deepEqual([listed.includes(person.id), listed.includes(member.id)], [true, false]);
  assert.equal(
    (await api('PATCH', `/users/${person.id}`, { body: { role: 'admin' } })).body.data.role,
    'admin',
  );
  for (const path of [
    `/users/${member.id}`,
    `${base}/${person.id}`,
    `${base}/x`,
    `${base}/${crypto.randomUUID()}`,
  ]) {
    for (const [method, body] of [
      ['PATCH', { name: 'X' }],
      ['DELETE', undefined],
    ] as const) {
      const { status } = await api(method, path, body === undefined ? {} : { body });
      assert.equal(status, 404, `${method} ${path}`);
    }
  }
  const outsider = await newTeam();
  const { token } = await issueKey({ teamId: id });
  assert.equal((await api('GET', base, { token })).status, 200);
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: { ...noor, role: 'viewer' } } : {};
    assert.equal(
      (await api(method, outsider.base, { token, ...body })).body.details.reason,
      'team_not_found',
    );
  }
  for (const method of ['GET', 'POST'] as const)
    assert.equal((await api(method, '/users', { token })).status, 403);
  assert.equal((await api('DELETE', `/users/${person.id}`)).status, 200);
});

test('rejects roles of the other kind, and members without an address', async () => {
  const { base } = await newTeam();
  const faults = [
    [base, { ...noor, role: 'admin' }, 'role'],
    [base, { ...noor, role: 'none' }, 'role'],
    [base, noor, 'role'],
    [base, { name: 'N', role: 'viewer' }, 'email'],
    [base, { ...noor, role: 'viewer', email: 'a@example.com\r\nBcc: b@example.com' }, 'email'],
    ['/users', { ...noor, role: 'viewer' }, 'role'],
  ] as const;
  for (const [path, body, field] of faults) {
    const answer = await api('POST', path, { body });
    assert.deepEqual([answer.status, answer.body.details.issues[0].path], [400, field], JSON.stringify(body));
  }
});

test('never removes or demotes the last owner', async () => {
  for (const base of [(await newTeam()).base, '/users']) {
    if (base === '/users') await add(base, 'owner');
    const [owner] = (await api('GET', base)).body.data;
    const refusals = [
      await api('DELETE', `${base}/${owner.id}`),
      await api('PATCH', `${base}/${owner.id}`, { body: { role: base === '/users' ? 'support' : 'viewer' } }),
    ];
    for (const { status, body } of refusals)
      assert.deepEqual([status, body.details.reason], [400, 'last_owner']);
    assert.equal(
      (await api('PATCH', `${base}/${owner.id}`, { body: { role: 'owner', name: 'Bo' } })).status,
      200,
    );
    await add(base, 'owner');
    assert.equal((await api('DELETE', `${base}/${owner.id}`)).status, 200);
  }
});

test('leaves one owner when two processes remove both at once', async () => {
  for (let round = 0; round < 8; round++) {
    const { base, owner, id } = await newTeam();
    const second = await add(base, 'owner');
    const answers = await Promise.all([
      api('DELETE', `${base}/${owner}`),
      other.api('PATCH', `${base}/${second.id}`, { body: { role: 'viewer' } }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    const { rows } = await sql`select from users where team_id = ${id} and role = 'owner'`.execute(
      context.db,
    );
    assert.equal(rows.length, 1);
  }
});

test('counts members exactly when many are added and removed at once', async () => {
  const { id, base } = await newTeam(4);
  const adding = Array.from({ length: 12 }, (_, i) =>
    (i % 2 === 0 ? api : other.api)('POST', base, { body: { ...noor, role: 'viewer' } }),
  );
  const answers = await Promise.all(adding);
  const created = answers.filter(({ status }) => status === 200);
  assert.equal(created.length, 3);
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    assert.deepEqual([status, body.details.reason, body.details.quota], [400, 'quota_exceeded', 'members']);
  }
  const path = `${base}/${created[0]?.body.data.id}`;
  const removals = await Promise.all([api('DELETE', path), other.api('DELETE', path)]);
  assert.deepEqual(removals.map(({ status }) => status).sort(), [200, 404]);
  assert.equal(await membersUsed(id), 3);
});

test('adds a member once for a repeated Idempotency-Key', async () => {
  const { id, base } = await newTeam();
  const send = () =>
    api('POST', base, { body: { ...noor, role: 'viewer' }, headers: { 'idempotency-key': 'once' } });
  const [first, again] = [await send(), await send()];
  assert.equal(first.body.data.id, again.body.data.id);
  assert.equal(await membersUsed(id), 2);
});

test('lets only owners manage people, and nobody raise the own role by a key', async () => {
  const { id, base, owner } = await newTeam();
  for (const role of ['viewer', 'agent', 'editor'] as const) {
    const { token } = await issueKey({ teamId: id, role });
    for (const [method, path, body] of [
      ['POST', base, { ...noor, role: 'owner' }],
      ['PATCH', `${base}/${owner}`, { role: 'owner' }],
      ['DELETE', `${base}/${owner}`, undefined],
    ] as const) {
      const answer = await api(method, path, { token, ...(body === undefined ? {} : { body }) });
      assert.deepEqual([answer.status, answer.body.details.reason], [403, 'role'], `${role} ${method}`);
    }
  }
  const { token: admin } = await issueKey({ role: 'admin' });
  assert.equal((await api('POST', base, { token: admin, body: { ...noor, role: 'owner' } })).status, 200);
  assert.equal((await api('POST', '/users', { token: admin, body: { ...noor, role: 'owner' } })).status, 403);
});
