import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';
import { deleteExpiredPortals } from './portal.queries.ts';

const { api, context, baseUrl, key, issueKey } = await startTestApp();
const elsewhere = await openTestContext(context.databaseUrl);
const other = await startApiOn(elsewhere);
after(() => elsewhere.close());

const { db } = context;
const session = '/api/openapi/session';
const sameOrigin = { 'sec-fetch-site': 'same-origin' };
let people = 0;

// A device needs a pool with room.
await sql`
  insert into pools (id, url, capacity, lease_until)
  values (gen_random_uuid(), 'http://pool.test', 1000, now() + interval '1 hour')`.execute(db);

const newEmail = () => `portal-${++people}@example.com`;

async function newTeam(): Promise<string> {
  const user = { name: 'Ana', email: newEmail() };
  const { body } = await api('POST', '/teams', {
    body: { user, team: { name: 'Quay', plan_name: 'enterprise' } },
  });
  return body.data.team.id;
}

async function newDevice(team_id: string, token = key.token): Promise<string> {
  const bot = await api('POST', '/bots', { token, body: { team_id, name: 'Till' } });
  const body = { team_id, bot_id: bot.body.data.id, name: 'Desk' };
  const device = await api('POST', '/devices', { token, body });
  assert.equal(device.status, 200);
  return device.body.data.id;
}

/** A link that the caller creates: a global key without a role by default. */
const createLink = (body: object, token = key.token) => api('POST', '/portal-links', { token, body });

const tokenOf = (url: string): string => url.split('#')[1] ?? '';

const open = (token: string, headers: Record<string, string> = sameOrigin) =>
  api('POST', `${session}/portal`, { token: null, body: { token }, headers });

/** Creates a link and opens it. Returns the bearer token. */
async function enter(body: { team_id: string; role: string; pages?: string[] }, token = key.token) {
  const { status, body: created } = await createLink(body, token);
  assert.equal(status, 200);
  const { status: opened, body: answer } = await open(tokenOf(created.data.url));
  assert.equal(opened, 200);
  return answer.data as { access_token: string; id: string };
}

const status = async (token: string, path = '/bots', call = api) =>
  (await call('GET', path, { token })).status;

/** Both processes refuse the session within five seconds. */
const ends = (token: string) =>
  eventually(
    async () => assert.deepEqual([await status(token), await status(token, '/bots', other.api)], [401, 401]),
    5000,
  );

/** Adds a person who accepts. Returns the id and the cookie. */
async function join(path: string, role: string) {
  const { body } = await api('POST', path, { body: { name: 'Noor', email: newEmail(), role } });
  const accepted = await api('POST', `${session}/invitation/accept`, {
    token: null,
    body: { token: tokenOf(body.data.invitation_url), password: 'a long enough password' },
    headers: sameOrigin,
  });
  const cookie = /^parley_session=[\w-]{43}/.exec(accepted.headers.get('set-cookie') ?? '')?.[0] ?? '';
  return { id: body.data.id as string, cookie };
}

const createAs = (cookie: string, body: object) =>
  api('POST', '/portal-links', { token: null, body, headers: { cookie, ...sameOrigin } });

test('opens the console for one team, with the role and the pages of the link', async () => {
  const [team, foreign] = [await newTeam(), await newTeam()];
  const created = await createLink({ team_id: team, role: 'agent', pages: ['conversations'] });
  assert.match(created.body.data.url, new RegExp(`^${baseUrl}/console/portal#[\\w-]{43}$`));
  assert.equal(created.headers.get('cache-control'), 'no-store');
  const opened = await open(tokenOf(created.body.data.url));
  const { access_token: token, expires_at, id, ...rest } = opened.body.data;
  assert.deepEqual(rest, { team: { id: team, name: 'Quay' }, role: 'agent', pages: ['conversations'] });
  assert.equal(opened.headers.get('set-cookie'), null);
  const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
  assert.ok(minutes > 55 && minutes < 65, `${minutes} minutes`);
  assert.equal(await status(token, '/conversations'), 200);
  assert.deepEqual((await api('GET', '/teams', { token })).body.data.length, 1);
  assert.equal(await status(token, `/teams/${foreign}`), 404);
  const page = await api('GET', '/documents', { token });
  assert.deepEqual([page.status, page.body.details.reason], [403, 'role']);
  const all = await createLink({ team_id: team, role: 'viewer' });
  const { pages } = (await open(tokenOf(all.body.data.url))).body.data;
  assert.deepEqual(pages, ['home', 'conversations', 'bot', 'phones', 'documents']);
  const own = await api('GET', session, { token });
  assert.deepEqual([own.status, own.body.details.reason], [403, 'session_needed']);
});

test('works once, also when two pages open it at the same time', async () => {
  const { body } = await createLink({ team_id: await newTeam(), role: 'viewer' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => open(tokenOf(body.data.url))));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400, 400, 400, 400]);
  const again = await open(tokenOf(body.data.url));
  assert.deepEqual([again.status, again.body.details.reason], [400, 'link_used']);
});

test('refuses a guessed link, an expired one, and a page of another site', async () => {
  const team = await newTeam();
  const guessed = await open('Zk3v9Qw1T0xS2nB7mL5cD8rJ4hP6yA_eUiOqWfGtKxM');
  assert.deepEqual([guessed.status, guessed.body.details.reason], [400, 'link_used']);
  const { body } = await createLink({ team_id: team, role: 'viewer', expires_in: 60 });
  const token = tokenOf(body.data.url);
  for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const answer = await open(token, headers as Record<string, string>);
    assert.deepEqual([answer.status, answer.body.details.reason], [403, 'origin_not_allowed']);
  }
  await sql`update portal_links set expires_at = now() - interval '1 second' where team_id = ${team}`.execute(
    db,
  );
  const expired = await open(token);
  assert.deepEqual([expired.status, expired.body.details.reason], [400, 'link_used']);
  for (const forged of ['portal_', 'portal_x', `portal_${token}`, token])
    assert.equal(await status(forged), 401, forged);
});

test('rejects invalid input', async () => {
  const team_id = await newTeam();
  const cases: [string, object][] = [
    ['expires_in', { expires_in: 59 }],
    ['expires_in', { expires_in: 3601 }],
    ['role', { role: 'owner' }],
    ['role', { role: 'admin' }],
    ['pages', { pages: [] }],
    ['pages', { pages: ['home', 'home'] }],
    ['pages', { pages: Array(6).fill('home') }],
    ['pages[0]', { pages: ['settings'] }],
    ['team_id', { team_id: crypto.randomUUID() }],
  ];
  for (const [path, input] of cases) {
    const answer = await createLink({ team_id, role: 'viewer', ...input });
    assert.equal(answer.status, 400, JSON.stringify(input));
    assert.equal(answer.body.details.issues[0].path, path);
  }
});

test('gives no role above the own one, by key or by person', async () => {
  const team_id = await newTeam();
  const attempt = async (caller: string, role: string) =>
    (await createLink({ team_id, role }, caller)).status;
  const teamKey = async (role: 'viewer' | 'agent' | 'editor' | 'owner') =>
    (await issueKey({ teamId: team_id, role })).token;
  const roles = ['viewer', 'agent', 'editor'];
  const expected = {
    viewer: [403, 403, 403],
    agent: [200, 200, 403],
    editor: [200, 200, 200],
    owner: [200, 200, 200],
  };
  for (const [role, statuses] of Object.entries(expected)) {
    const caller = await teamKey(role as 'viewer');
    assert.deepEqual(await Promise.all(roles.map((wanted) => attempt(caller, wanted))), statuses, role);
  }
  const support = await issueKey({ role: 'support' });
  assert.deepEqual(await Promise.all(roles.map((wanted) => attempt(support.token, wanted))), [200, 200, 403]);
  const admin = await issueKey({ role: 'admin' });
  assert.equal(await attempt(admin.token, 'editor'), 200);
  const { cookie } = await join(`/teams/${team_id}/members`, 'agent');
  const refused = await createAs(cookie, { team_id, role: 'editor' });
  assert.deepEqual([refused.status, refused.body.details.reason], [403, 'role']);
  const foreign = await issueKey({ teamId: await newTeam(), role: 'agent' });
  assert.equal((await createLink({ team_id, role: 'editor' }, foreign.token)).status, 400);
});

test('a portal creates no portal, key, person, webhook or link for a phone', async () => {
  const team_id = await newTeam();
  const { access_token: token } = await enter({ team_id, role: 'editor' });
  const device = await newDevice(team_id, token);
  const attempts: [string, object][] = [
    ['/portal-links', { team_id, role: 'viewer' }],
    ['/api-keys', { name: 'k' }],
    [`/teams/${team_id}/members`, { name: 'Eve', email: newEmail(), role: 'viewer' }],
    ['/users', { name: 'Eve', email: newEmail(), role: 'owner' }],
    ['/webhooks', { url: 'https://evil.example/', events: ['message.received'] }],
    [`/devices/${device}/link`, {}],
  ];
  for (const [path, body] of attempts)
    assert.equal((await api('POST', path, { token, body })).status, 403, path);
});

test('ends within five seconds with its key, its person, the role and the team', async () => {
  const team_id = await newTeam();
  const members = `/teams/${team_id}/members`;
  const link = { team_id, role: 'agent' };
  const [deactivated, deleted, expired] = [await issueKey(), await issueKey(), await issueKey()];
  const sessions = await Promise.all(
    [deactivated, deleted, expired].map((caller) => enter(link, caller.token)),
  );
  const removed = await join(members, 'agent');
  const lowered = await join(members, 'editor');
  for (const { cookie } of [removed, lowered]) {
    const created = await createAs(cookie, link);
    sessions.push((await open(tokenOf(created.body.data.url))).body.data);
  }
  const [byDeactivated, byDeleted, byExpired, byRemoved, byLowered] = sessions.map(
    (opened) => opened.access_token,
  );
  const pending = await createLink(link, deactivated.token);
  const staying = await enter(link);
  for (const token of [byDeactivated, byDeleted, byExpired, byRemoved, byLowered])
    assert.equal(await status(token ?? '', '/bots', other.api), 200);
  await api('PATCH', `/api-keys/${deactivated.keyId}`, { body: { is_active: false } });
  await api('DELETE', `/api-keys/${deleted.keyId}`);
  await sql`update api_keys set expires_at = now() - interval '1 second' where key_id = ${expired.keyId}`.execute(
    db,
  );
  await api('DELETE', `${members}/${removed.id}`);
  await api('PATCH', `${members}/${lowered.id}`, { body: { role: 'viewer' } });
  for (const token of [byDeactivated, byDeleted, byExpired, byRemoved, byLowered]) await ends(token ?? '');
  assert.equal((await open(tokenOf(pending.body.data.url))).status, 400, 'a link that was not opened');
  await api('PATCH', `/api-keys/${deactivated.keyId}`, { body: { is_active: true } });
  assert.equal(await status(byDeactivated ?? ''), 401, 'the key was active again');
  assert.equal(await status(staying.access_token), 200);
  await api('DELETE', `/teams/${team_id}`);
  await ends(staying.access_token);
});

test('ends after its hour, and the job forgets it', async () => {
  const team_id = await newTeam();
  const { access_token: token, id } = await enter({ team_id, role: 'viewer' });
  await deleteExpiredPortals(db);
  assert.equal(await status(token), 200);
  await sql`update portal_links set session_expires_at = now() - interval '1 second' where id = ${id}`.execute(
    db,
  );
  await ends(token);
  await deleteExpiredPortals(db);
  assert.equal((await sql`select from portal_links where id = ${id}`.execute(db)).rows.length, 0);
});

test('is audited as a portal, with the name of the person who opened it', async () => {
  const team_id = await newTeam();
  const { cookie, id: userId } = await join('/users', 'admin');
  const created = await createAs(cookie, { team_id, role: 'editor' });
  const { access_token: token, id } = (await open(tokenOf(created.body.data.url))).body.data;
  await api('POST', '/bots', { token, body: { team_id, name: 'Till' } });
  await sql`delete from portal_links where id = ${id}`.execute(db);
  const { body } = await api('GET', `/audit-log?team_id=${team_id}&limit=100`);
  const rows = body.data as Record<string, unknown>[];
  const of = (operation: string) => rows.find((row) => row['operation'] === operation) ?? {};
  const byPerson = of('createPortalLink');
  assert.deepEqual([byPerson['user_id'], byPerson['object_id']], [userId, id]);
  for (const operation of ['openPortal', 'createBot']) {
    const { key_id, user_id, user_name } = of(operation);
    assert.deepEqual([key_id, user_id, user_name], [`portal:${id}`, null, 'Noor'], operation);
  }
  const text = JSON.stringify(rows);
  for (const secret of [tokenOf(created.body.data.url), token]) assert.ok(!text.includes(secret));
});

test('a note from a portal has the name of the person who opened it', async () => {
  const team_id = await newTeam();
  const { cookie } = await join(`/teams/${team_id}/members`, 'agent');
  const created = await createAs(cookie, { team_id, role: 'agent' });
  const { access_token: token } = (await open(tokenOf(created.body.data.url))).body.data;
  const device = await newDevice(team_id);
  const { rows } = await sql<{ id: string }>`
    insert into conversations (id, team_id, device_id, contact_number)
    values (gen_random_uuid(), ${team_id}, ${device}, '+15550199') returning id`.execute(db);
  const note = await api('POST', `/conversations/${rows[0]?.id}/notes`, { token, body: { text: 'Call' } });
  assert.equal(note.body.data.author.name, 'Noor');
});

test('memory and database keep only hashes of tokens', async () => {
  const team_id = await newTeam();
  const { body } = await createLink({ team_id, role: 'viewer' });
  const { access_token: token } = (await open(tokenOf(body.data.url))).body.data;
  const { rows } = await sql<{ row: string }>`select p::text as row from portal_links p`.execute(db);
  for (const { row } of rows) assert.ok(!row.includes(token) && !row.includes(tokenOf(body.data.url)));
});
