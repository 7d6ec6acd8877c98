import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';
import { createLink } from './links.queries.ts';
import { createOwnerLink } from './owner-link.ts';
import { createSessions } from './sessions.ts';

const { api, context, baseUrl, key, issueKey } = await startTestApp();
const elsewhere = await openTestContext(context.databaseUrl);
const other = await startApiOn(elsewhere);
after(() => elsewhere.close());

const { db } = context;
const base = '/api/openapi/session';
const password = 'a long enough password';
let people = 0;
const newEmail = () => `person-${++people}@example.com`;

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

type Call = typeof api;
interface Options {
  body?: unknown;
  headers?: Record<string, string>;
  call?: Call;
}

/** A request without token, as a page of the console sends it. */
const page = (
  method: string,
  path: string,
  { cookie, body, headers, call = api }: Options & { cookie?: string } = {},
) =>
  call(method, path, {
    token: null,
    ...(body === undefined ? {} : { body }),
    headers: { ...sameOrigin, ...(cookie === undefined ? {} : { cookie }), ...headers },
  });

const cookieOf = ({ headers }: { headers: Headers }): string =>
  /^parley_session=[\w-]{43}/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';

const signIn = (email: string, options: Options & { cookie?: string; password?: string } = {}) =>
  page('POST', `${base}/password`, { ...options, body: { email, password: options.password ?? password } });

const tokenOf = (url: string): string => url.split('#')[1] ?? '';

const accept = (invitation: { invitation_url: string }, given = password, options: Options = {}) =>
  page('POST', `${base}/invitation/accept`, {
    ...options,
    body: { token: tokenOf(invitation.invitation_url), password: given },
  });

async function newTeam(): Promise<{ id: string; members: string; administrator: string }> {
  const user = { name: 'Ana', email: newEmail() };
  const { body } = await api('POST', '/teams', { body: { user, team: { name: 'Quay' } } });
  const { id } = body.data.team;
  return { id, members: `/teams/${id}/members`, administrator: body.data.user.id };
}

const invite = async (path: string, role: string, email = newEmail()) =>
  (await api('POST', path, { body: { name: 'Noor', email, role } })).body.data;

/** Adds a person to a team or to the staff, who accepts and is signed in. */
async function join(path: string, role: string, email = newEmail(), given = password) {
  const invited = await invite(path, role, email);
  const accepted = await accept(invited, given);
  assert.equal(accepted.status, 200);
  return { email, id: invited.id as string, cookie: cookieOf(accepted), session: accepted.body.data };
}

const isSignedIn = async (cookie: string, call: Call = api) =>
  (await page('GET', base, { cookie, call })).status === 200;

test('an invited person sets a password, signs in and works with the role', async () => {
  const team = await newTeam();
  const invited = await invite(team.members, 'viewer');
  assert.deepEqual([invited.state, invited.last_seen_at], ['invited', null]);
  assert.match(invited.invitation_url, new RegExp(`^${baseUrl}/console/invitation#[\\w-]{43}$`));
  const read = await page('POST', `${base}/invitation`, { body: { token: tokenOf(invited.invitation_url) } });
  assert.deepEqual(read.body.data.team, { id: team.id, name: 'Quay' });
  assert.equal(read.body.data.email, invited.email);
  const accepted = await accept(invited);
  assert.equal(accepted.status, 200);
  assert.match(
    accepted.headers.get('set-cookie') ?? '',
    /^parley_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const { user, role, memberships, has_password, password_settable } = accepted.body.data;
  assert.deepEqual([user.id, role, has_password, password_settable], [invited.id, 'viewer', true, false]);
  assert.deepEqual(memberships, [
    { user_id: invited.id, team: { id: team.id, name: 'Quay' }, role: 'viewer' },
  ]);
  const cookie = cookieOf(accepted);
  assert.deepEqual((await page('GET', base, { cookie })).body.data, accepted.body.data);
  assert.equal((await page('GET', `/teams/${team.id}`, { cookie })).status, 200);
  assert.equal((await page('GET', '/teams', { cookie })).body.data.length, 1);
  const outside = await newTeam();
  assert.equal((await page('GET', `/teams/${outside.id}`, { cookie })).status, 404);
  const refused = await page('PATCH', `/teams/${team.id}`, { cookie, body: { name: 'X' } });
  assert.deepEqual([refused.status, refused.body.details.reason], [403, 'role']);
  assert.equal((await page('GET', '/plans', { cookie })).body.details.reason, 'scope');
  const [listed] = (await api('GET', team.members)).body.data;
  assert.equal(listed.state, 'active');
  assert.ok(listed.last_seen_at !== null);
  assert.equal((await signIn(invited.email.toUpperCase())).status, 200);
});

test('answers the same to a wrong password, an unknown address and a person without a password', async () => {
  const team = await newTeam();
  const { email } = await join(team.members, 'viewer');
  const invited = await invite(team.members, 'viewer');
  const answers = [
    await signIn(email, { password: 'not the password' }),
    await signIn(newEmail()),
    await signIn(invited.email),
  ];
  for (const { status, bytes, headers } of answers) {
    assert.equal(status, 401);
    assert.deepEqual(bytes, answers[0]?.bytes);
    assert.equal(headers.get('set-cookie'), null);
  }
});

test('refuses further attempts for an account and a network, known or not, and keeps others signed in', async () => {
  const { email, cookie } = await join('/users', 'support');
  for (const account of [email, newEmail()]) {
    const attempts = [];
    for (let attempt = 0; attempt < 11; attempt++)
      attempts.push(await signIn(account, { password: 'wrong' }));
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [...Array(10).fill(401), 429],
    );
    const [last] = attempts.slice(-1);
    assert.equal(last?.body.details.reason, 'too_many_attempts');
    assert.ok(Number(last?.headers.get('retry-after')) > 0);
  }
  assert.ok(await isSignedIn(cookie));
});

test('counts a cookie only with a proof that a page of the same origin sent it', async () => {
  const team = await newTeam();
  const { cookie } = await join(team.members, 'owner');
  const { host } = new URL(baseUrl);
  const change = (headers: Record<string, string>) =>
    api('PATCH', `/teams/${team.id}`, {
      token: null,
      body: { name: 'Mallory' },
      headers: { cookie, ...headers },
    });
  const proofs: [Record<string, string>, number][] = [
    [{}, 401],
    [{ 'sec-fetch-site': 'cross-site' }, 401],
    [{ 'sec-fetch-site': 'same-site' }, 401],
    [{ 'sec-fetch-site': 'none' }, 401],
    [{ origin: 'https://evil.example' }, 401],
    [{ origin: 'null' }, 401],
    [{ origin: `http://${host}0` }, 401],
    [{ origin: `http://${host}`, 'sec-fetch-site': 'same-site' }, 401],
    [{ origin: `http://${host}` }, 200],
    [sameOrigin, 200],
  ];
  for (const [headers, status] of proofs)
    assert.equal((await change(headers)).status, status, JSON.stringify(headers));
  // A bearer token needs no proof, and beats the cookie.
  const { token } = await issueKey({ teamId: team.id, role: 'viewer' });
  assert.equal((await api('GET', `/teams/${team.id}`, { token, headers: { cookie } })).status, 200);
  assert.equal(
    (
      await api('PATCH', `/teams/${team.id}`, {
        token,
        body: { name: 'X' },
        headers: { cookie, ...sameOrigin },
      })
    ).status,
    403,
  );
  assert.equal((await api('GET', base, { headers: { cookie } })).body.details.reason, 'session_needed');
  const forged = await api('GET', base, { token: 'forged', headers: { cookie, ...sameOrigin } });
  assert.equal(forged.status, 401);
});

test('no page of another site signs a browser in', async () => {
  const { email } = await join('/users', 'support');
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
    const answer = await api('POST', `${base}/password`, {
      token: null,
      body: { email, password },
      headers: headers as Record<string, string>,
    });
    assert.deepEqual([answer.status, answer.body.details.reason], [403, 'origin_not_allowed']);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
});

/** fetch sets the header Host itself. */
function postAt(host: string, body: object, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    cookie: string;
    text: string;
  }>();
  const sent = httpRequest(
    `${baseUrl}${base}/password`,
    { method: 'POST', headers: { host, 'content-type': 'application/json', ...headers } },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          cookie: response.headers['set-cookie']?.[0] ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      );
    },
  );
  sent.on('error', reject);
  sent.end(JSON.stringify(body));
  return promise;
}

test('signs in over https or on the machine itself, and refuses a rebound host', async () => {
  const { email } = await join('/users', 'support');
  const body = { email, password };
  const overHttp = await postAt('192.0.2.7', body, { origin: 'http://192.0.2.7' });
  assert.equal(overHttp.status, 400);
  assert.match(overHttp.text, /https_needed/);
  const overHttps = await postAt('192.0.2.7', body, { origin: 'https://192.0.2.7' });
  assert.equal(overHttps.status, 200);
  assert.match(overHttps.cookie, /^__Host-parley_session=[\w-]{43}; Path=\/; .*; Secure$/);
  const rebound = await postAt('evil.example', body, { origin: 'http://evil.example', ...sameOrigin });
  assert.equal(rebound.status, 400);
  assert.match(rebound.text, /host_not_allowed/);
});

test('never continues a session that the browser brought along, and ends it', async () => {
  const { email, cookie: before } = await join('/users', 'support');
  const planted = `parley_session=${'A'.repeat(43)}`;
  const signedIn = await signIn(email, { cookie: planted });
  assert.notEqual(cookieOf(signedIn), planted);
  assert.ok(!(await isSignedIn(planted)));
  const again = await signIn(email, { cookie: before });
  assert.ok(!(await isSignedIn(before)));
  assert.ok(await isSignedIn(cookieOf(again)));
});

test('a changed password ends every other session, on every process', async () => {
  const { email, cookie: stolen } = await join('/users', 'support');
  const cookie = cookieOf(await signIn(email));
  assert.ok(await isSignedIn(stolen, other.api));
  const change = (body: object) => page('PUT', `${base}/password`, { cookie, body });
  const wrong = await change({ password: 'another password', current_password: 'not it' });
  assert.deepEqual([wrong.status, wrong.body.details.reason], [400, 'password_wrong']);
  assert.equal((await change({ password: 'another password' })).body.details.reason, 'password_wrong');
  assert.equal((await change({ password: 'short', current_password: password })).status, 400);
  const changed = await change({ password: 'another password', current_password: password });
  assert.equal(changed.status, 200);
  assert.ok(await isSignedIn(cookieOf(changed), other.api));
  assert.deepEqual([await isSignedIn(stolen), await isSignedIn(cookie)], [false, false]);
  await eventually(async () => assert.ok(!(await isSignedIn(stolen, other.api))));
  assert.equal((await signIn(email)).status, 401);
  assert.equal((await signIn(email, { password: 'another password' })).status, 200);
});

test('another role, and the end of the membership, end the sessions on every process', async () => {
  const team = await newTeam();
  const { cookie, email, id } = await join(team.members, 'editor');
  assert.ok(await isSignedIn(cookie, other.api));
  assert.equal((await api('PATCH', `${team.members}/${id}`, { body: { name: 'N' } })).status, 200);
  assert.ok(await isSignedIn(cookie, other.api));
  await api('PATCH', `${team.members}/${id}`, { body: { role: 'agent' } });
  assert.ok(!(await isSignedIn(cookie)));
  await eventually(async () => assert.ok(!(await isSignedIn(cookie, other.api))));
  const again = await signIn(email);
  assert.equal(again.body.data.role, 'agent');
  await api('DELETE', `${team.members}/${id}`);
  assert.ok(!(await isSignedIn(cookieOf(again))));
  assert.equal((await signIn(email)).status, 401);
  assert.equal((await sql`select from people where email = ${email}`.execute(db)).rows.length, 0);
});

test('the people of a deleted team are gone', async () => {
  const team = await newTeam();
  const { cookie, email } = await join(team.members, 'owner');
  assert.ok(await isSignedIn(cookie));
  await api('DELETE', `/teams/${team.id}`);
  await eventually(async () => assert.ok(!(await isSignedIn(cookie))));
  assert.equal((await sql`select from people where email = ${email}`.execute(db)).rows.length, 0);
});

test('a session ends after 12 hours without use and after 30 days', async () => {
  const { cookie, email } = await join('/users', 'support');
  const age = (column: string, interval: string) =>
    sql`update sessions set ${sql.ref(column)} = now() - ${interval}::interval
        where person_id = (select id from people where email = ${email})`.execute(db);
  const check = async (alive: boolean) => {
    context.notifications.publish('person-changed', 'test');
    assert.equal(await isSignedIn(cookie), alive);
  };
  await age('last_seen_at', '11 hours 59 minutes');
  await check(true);
  // The use has put the end off.
  const [session] = (await page('GET', `${base}/list`, { cookie })).body.data;
  assert.ok(Date.now() - Date.parse(session.last_seen_at) < 3_600_000);
  await age('created_at', '29 days 23 hours');
  await check(true);
  await age('created_at', '30 days 1 minute');
  await check(false);
  await age('created_at', '1 day');
  await age('last_seen_at', '12 hours 1 minute');
  await check(false);
});

test('a person lists and ends the own sessions, and no others', async () => {
  const { email, cookie } = await join('/users', 'support');
  const [second, third] = [cookieOf(await signIn(email)), cookieOf(await signIn(email))];
  const stranger = await join('/users', 'support');
  const list = async () => (await page('GET', `${base}/list`, { cookie })).body.data;
  const sessions = await list();
  assert.deepEqual(
    sessions.map(({ current }: { current: boolean }) => current),
    [false, false, true],
  );
  const end = (id: string, by: string) => page('DELETE', `${base}/list/${id}`, { cookie: by });
  for (const id of [sessions[0].id, 'x', crypto.randomUUID()])
    assert.equal((await end(id, stranger.cookie)).body.details.reason, 'session_not_found');
  assert.equal((await end(sessions[0].id, cookie)).status, 200);
  assert.ok(!(await isSignedIn(third)));
  assert.equal((await page('DELETE', `${base}/list`, { cookie })).status, 200);
  assert.deepEqual([await isSignedIn(second), (await list()).length], [false, 1]);
  const out = await page('DELETE', base, { cookie });
  assert.match(out.headers.get('set-cookie') ?? '', /parley_session=; Path=\/; Max-Age=0/);
  assert.ok(!(await isSignedIn(cookie)));
  assert.ok(await isSignedIn(stranger.cookie));
});

test('an invitation works once, and a renewed one replaces it', async () => {
  const team = await newTeam();
  const first = await invite(team.members, 'viewer');
  const renewed = (await api('POST', `${team.members}/${first.id}/invite`)).body.data;
  assert.equal((await accept(first)).body.details.reason, 'link_used');
  const answers = await Promise.all([accept(renewed), accept(renewed, password, { call: other.api })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  assert.equal((await accept(renewed)).body.details.reason, 'link_used');
  const again = await api('POST', `${team.members}/${first.id}/invite`);
  assert.deepEqual([again.status, again.body.details.reason], [400, 'already_active']);
  const expired = await invite(team.members, 'viewer');
  await sql`update sign_in_links set expires_at = now() - interval '1 second' where user_id = ${expired.id}`.execute(
    db,
  );
  for (const used of [expired, { invitation_url: `#${'x'.repeat(43)}` }]) {
    assert.equal((await accept(used)).body.details.reason, 'link_used');
  }
  const administrator = await api('POST', `${team.members}/${team.administrator}/invite`);
  assert.equal((await accept(administrator.body.data)).body.data.role, 'owner');
});

test('an invitation to an address that has a sign-in changes nothing of it', async () => {
  const owner = await join('/users', 'owner');
  const before = await sql`select * from people where email = ${owner.email}`.execute(db);
  const mallory = await newTeam();
  const invited = await invite(mallory.members, 'owner', owner.email);
  const accepted = await accept(invited, 'the password of Mallory');
  assert.equal(accepted.body.data.memberships.length, 1);
  const rows = await sql<{
    id: string;
  }>`select * from people where email = ${owner.email} order by created_at`.execute(db);
  assert.deepEqual([rows.rows.length, rows.rows[0]], [2, before.rows[0]]);
  assert.ok(await isSignedIn(owner.cookie));
  assert.equal((await signIn(owner.email)).body.data.team, null);
  const hers = await signIn(owner.email, { password: 'the password of Mallory' });
  assert.equal(hers.body.data.team.id, mallory.id);
  assert.equal((await page('GET', '/users', { cookie: cookieOf(hers) })).status, 403);
});

test('users with one address and one password stay apart, because nobody proved the address', async () => {
  const email = newEmail();
  const first = await join((await newTeam()).members, 'owner', email);
  const second = await join((await newTeam()).members, 'viewer', email);
  const { user, memberships } = (await signIn(email)).body.data;
  assert.deepEqual([user.id, memberships.length], [first.id, 1]);
  assert.deepEqual([await isSignedIn(first.cookie), await isSignedIn(second.cookie)], [true, true]);
});

test('a person with several memberships chooses the team by a header', async () => {
  const [quay, pier] = [await newTeam(), await newTeam()];
  const email = newEmail();
  const first = await join(quay.members, 'owner', email);
  const second = await join(pier.members, 'viewer', email);
  await sql`
    update memberships set person_id = (select person_id from memberships where user_id = ${first.id})
    where user_id = ${second.id}`.execute(db);
  const signedIn = await signIn(email);
  assert.deepEqual(
    signedIn.body.data.memberships.map(({ user_id: id }: { user_id: string }) => id),
    [first.id, second.id],
  );
  const cookie = cookieOf(signedIn);
  const inTeam = (team: string, path: string, method = 'GET', body?: object) =>
    page(method, path, {
      cookie,
      headers: { 'x-parley-team': team },
      ...(body === undefined ? {} : { body }),
    });
  assert.equal((await inTeam(pier.id.toUpperCase(), base)).body.data.role, 'viewer');
  assert.equal((await inTeam(pier.id, `/teams/${quay.id}`)).status, 404);
  assert.equal((await inTeam(pier.id, `/teams/${pier.id}`, 'PATCH', { name: 'X' })).status, 403);
  assert.equal((await inTeam(quay.id, `/teams/${quay.id}`, 'PATCH', { name: 'X' })).status, 200);
  for (const team of ['partner', (await newTeam()).id, 'x'])
    assert.equal((await inTeam(team, base)).body.details.reason, 'membership');
});

test('nobody raises the own role, and the last owner stays', async () => {
  const team = await newTeam();
  const { cookie, id } = await join(team.members, 'editor');
  const raised = await page('PATCH', `${team.members}/${id}`, { cookie, body: { role: 'owner' } });
  assert.deepEqual([raised.status, raised.body.details.reason], [403, 'role']);
  const invited = await page('POST', team.members, {
    cookie,
    body: { name: 'M', email: newEmail(), role: 'owner' },
  });
  assert.equal(invited.body.details.reason, 'role');
  const admin = await join('/users', 'admin');
  for (const [method, path, body] of [
    ['PATCH', `/users/${admin.id}`, { role: 'owner' }],
    ['POST', '/users', { name: 'M', email: newEmail(), role: 'owner' }],
    ['POST', `/users/${admin.id}/invite`, undefined],
    ['POST', '/api-keys', { name: 'k', scope: 'global' }],
  ] as const) {
    const answer = await page(method, path, {
      cookie: admin.cookie,
      ...(body === undefined ? {} : { body }),
    });
    assert.deepEqual([answer.status, answer.body.details.reason], [403, 'role'], `${method} ${path}`);
  }
  assert.equal((await page('DELETE', `/api-keys/${key.keyId}`, { cookie: admin.cookie })).status, 403);
  const own = await join((await newTeam()).members, 'viewer');
  const [{ team_id: only }] = (
    await sql<{ team_id: string }>`select team_id from users where id = ${own.id}`.execute(db)
  ).rows as [{ team_id: string }];
  const renewed = await api('POST', `/teams/${only}/members`, {
    body: { name: 'O', email: newEmail(), role: 'owner' },
  });
  const owner = cookieOf(await accept(renewed.body.data));
  const list = (await api('GET', `/teams/${only}/members`)).body.data;
  for (const member of list.filter((m: { role: string; id: string }) => m.id !== renewed.body.data.id)) {
    assert.equal(
      (await page('DELETE', `/teams/${only}/members/${member.id}`, { cookie: owner })).status,
      200,
    );
  }
  const last = await page('DELETE', `/teams/${only}/members/${renewed.body.data.id}`, { cookie: owner });
  assert.deepEqual([last.status, last.body.details.reason], [400, 'last_owner']);
  const demoted = await page('PATCH', `/teams/${only}/members/${renewed.body.data.id}`, {
    cookie: owner,
    body: { role: 'viewer' },
  });
  assert.equal(demoted.body.details.reason, 'last_owner');
});

test('a link of the operator signs in once, and can set a password', async () => {
  const { email, id, cookie } = await join('/users', 'admin');
  const link = () =>
    db.transaction().execute((tx) => createLink(tx, { kind: 'sign_in', userId: id, hours: 1 }));
  const use = (body: object) => page('POST', `${base}/reset`, { body });
  const { token } = await link();
  const opened = await use({ token });
  assert.equal(opened.body.data.password_settable, true);
  assert.equal((await use({ token })).body.details.reason, 'link_used');
  assert.ok(await isSignedIn(cookie));
  const set = await page('PUT', `${base}/password`, {
    cookie: cookieOf(opened),
    body: { password: 'another password' },
  });
  assert.equal(set.status, 200);
  assert.ok(!(await isSignedIn(cookie)));
  const reset = await use({ token: (await link()).token, password: 'a third password' });
  assert.equal(reset.status, 200);
  assert.deepEqual(
    [await isSignedIn(cookieOf(set)), (await signIn(email, { password: 'a third password' })).status],
    [false, 200],
  );
  const invited = await invite('/users', 'support');
  const first = await db
    .transaction()
    .execute((tx) => createLink(tx, { kind: 'sign_in', userId: invited.id, hours: 1 }));
  assert.deepEqual((await use({ token: first.token })).body.data.has_password, false);
  assert.equal((await accept(invited)).body.details.reason, 'link_used');
});

test('parley owner-link signs in only an owner of the deployment', async () => {
  const owner = await join('/users', 'owner');
  const admin = await join('/users', 'admin');
  const { members } = await newTeam();
  const ofTeam = await join(members, 'owner');
  for (const { email } of [admin, ofTeam, { email: newEmail() }])
    assert.equal(await createOwnerLink(db, email), null);
  const token = await createOwnerLink(db, owner.email.toUpperCase());
  const opened = await page('POST', `${base}/reset`, { body: { token } });
  assert.equal(opened.body.data.user.id, owner.id);
  assert.ok((await createOwnerLink(db, null)) !== null);
});

test('the audit log names the people, also those who are gone', async () => {
  const team = await newTeam();
  const { cookie, id } = await join(team.members, 'owner');
  await page('PATCH', `/teams/${team.id}`, { cookie, body: { name: 'Quayside' } });
  const entries = async (query: string) => (await api('GET', `/audit-log?${query}`)).body.data;
  const named = async () => {
    const [entry] = await entries(`user_id=${id}&operation=updateTeam`);
    return [entry.key_id, entry.user_id, entry.user_name, entry.after.name];
  };
  assert.deepEqual(await named(), [null, id, 'Noor', 'Quayside']);
  const signedIn = await entries(`user_id=${id}&operation=acceptInvitation`);
  assert.deepEqual(signedIn.map((entry: { object_type: string }) => entry.object_type).sort(), [
    'membership',
    'person',
    'session',
  ]);
  const [hash] = (await sql<{ password_hash: string }>`select password_hash from people`.execute(db)).rows;
  assert.ok(!JSON.stringify(await entries('limit=100')).includes(hash?.password_hash ?? ''));
  await api('DELETE', `${team.members}/${id}`);
  assert.deepEqual(await named(), [null, id, 'Noor', 'Quayside']);
});

test('rejects bodies that no page of the console sends', async () => {
  const { cookie } = await join('/users', 'support');
  const token = 'x'.repeat(43);
  const email = newEmail();
  for (const [method, path, body, field] of [
    ['POST', '/password', { email }, 'password'],
    ['POST', '/password', { email: 'no address', password }, 'email'],
    ['POST', '/password', { email, password: 'x'.repeat(201) }, 'password'],
    ['POST', '/password', { email, password: 'a\u0000b' }, 'password'],
    ['POST', '/password', { email, password, role: 'owner' }, 'role'],
    ['PUT', '/password', { password: 'x'.repeat(9), current_password: password }, 'password'],
    ['POST', '/setup', { token, name: ' ', email, password }, 'name'],
    ['POST', '/invitation', { token: 'a b' }, 'token'],
    ['POST', '/invitation/accept', { token, password: 'short' }, 'password'],
    ['POST', '/reset', { token: '' }, 'token'],
  ] as const) {
    const answer = await page(method, base + path, { cookie, body });
    assert.deepEqual([answer.status, answer.body.details.issues[0].path], [400, field], JSON.stringify(body));
  }
});

test('a warm request needs no statement', async () => {
  const { cookie } = await join('/users', 'support');
  const sessions = createSessions(context);
  const headers = { cookie, host: 'localhost', ...sameOrigin };
  assert.equal((await sessions.authenticate(headers))?.role, 'support');
  assert.ok(!(sessions.authenticate(headers) instanceof Promise));
  sessions.close();
});
