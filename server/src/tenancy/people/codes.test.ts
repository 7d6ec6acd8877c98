import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { composeWorker } from '../../process/compose/worker.ts';
import { requestCode, requestRecovery, signInWithCode } from './codes.ts';
import { createOutbox } from './mails.ts';
import { createPasswords } from './passwords.ts';
import { createSignInLimits } from './sign-in-limits.ts';

const server = await startMailServer();
const { api, context } = await startTestApp({
  environment: {
    MAIL_URL: server.url,
    MAIL_FROM: 'noreply@parley.example',
    BASE_URL: 'https://parley.example.com',
  },
});
const { db } = context;
const worker = await composeWorker(context, context);
after(() => worker.close());

const base = '/api/openapi/session';
const password = 'a long enough password';
let people = 0;
const newEmail = () => `person-${++people}@example.com`;

const page = (method: string, path: string, { body, cookie }: { body?: unknown; cookie?: string } = {}) =>
  api(method, path, {
    token: null,
    ...(body === undefined ? {} : { body }),
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) },
  });
const cookieOf = ({ headers }: { headers: Headers }): string =>
  /^parley_session=[\w-]{43}/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
const tokenOf = (url: string): string => url.split('#')[1] ?? '';

async function newTeam(): Promise<string> {
  const user = { name: 'Ana', email: newEmail() };
  const { body } = await api('POST', '/teams', { body: { user, team: { name: 'Quay' } } });
  return `/teams/${body.data.team.id}/members`;
}
const invite = async (path: string, email: string, role = 'viewer') =>
  (await api('POST', path, { body: { name: 'Noor', email, role } })).body.data;
const accept = (invited: { invitation_url: string }, given = password) =>
  page('POST', `${base}/invitation/accept`, {
    body: { token: tokenOf(invited.invitation_url), password: given },
  });
const signIn = (email: string, given = password) =>
  page('POST', `${base}/password`, { body: { email, password: given } });
const isSignedIn = async (cookie: string) => (await page('GET', base, { cookie })).status === 200;

const ask = (email: string, language?: string) => page('POST', `${base}/code`, { body: { email, language } });
const verify = (request_id: string, email: string, code: string) =>
  page('POST', `${base}/code/verify`, { body: { request_id, email, code } });

const noMailWaits = () =>
  eventually(async () => {
    const { rows } = await sql`select from mails`.execute(db);
    assert.equal(rows.length, 0);
  }, 60_000);

/** Waits until the worker has sent or dropped every mail, and returns those to the address. */
async function mailsTo(email: string) {
  await noMailWaits();
  return server.received.filter(({ recipients }) => recipients.includes(email));
}

async function codeFor(email: string): Promise<{ id: string; code: string }> {
  const asked = await ask(email);
  assert.equal(asked.status, 200);
  const mails = await mailsTo(email.toLowerCase());
  const mail = mails.findLast(({ subject }) => subject.endsWith('is your code for Parley'));
  return { id: asked.body.data.request_id, code: /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? '' };
}

async function signInByCode(email: string) {
  const { id, code } = await codeFor(email);
  const signedIn = await verify(id, email, code);
  assert.equal(signedIn.status, 200);
  return { cookie: cookieOf(signedIn), session: signedIn.body.data };
}

const otherCode = (code: string): string => String((Number(code) + 1) % 10 ** 8).padStart(8, '0');

test('signs in with a mailed code, once, and lets the person set a password', async () => {
  const email = newEmail();
  const invited = await invite(await newTeam(), email);
  assert.equal((await page('GET', `${base}/means`)).body.data.code, true);
  const { id, code } = await codeFor(email.toUpperCase());
  const [mail] = (await mailsTo(email)).slice(-1);
  assert.equal(mail?.subject, `${code} is your code for Parley`);
  const signedIn = await verify(id, email, code);
  assert.equal(signedIn.status, 200);
  const { user, has_password, password_settable } = signedIn.body.data;
  assert.deepEqual([user.id, has_password, password_settable], [invited.id, false, true]);
  assert.equal((await verify(id, email, code)).status, 401);
  assert.equal((await accept(invited)).status, 400, 'the invitation has ended');
  const set = await page('PUT', `${base}/password`, { cookie: cookieOf(signedIn), body: { password } });
  assert.equal(set.status, 200);
  assert.equal((await signIn(email)).status, 200);
});

test('refuses wrong, late and foreign codes, and ends a code after five attempts', async () => {
  const email = newEmail();
  await accept(await invite('/users', email, 'support'));
  const { id, code } = await codeFor(email);
  assert.equal((await verify(id, newEmail(), code)).status, 401, 'another address');
  const second = await codeFor(email);
  assert.equal((await verify(id, email, second.code)).status, 401, 'another request');
  await sql`update address_proofs set expires_at = now() - interval '1 second' where id = ${second.id}`.execute(
    db,
  );
  assert.equal((await verify(second.id, email, second.code)).status, 401, 'late');
  assert.equal((await verify(id, email, code)).status, 200, 'wrong attempts leave some');
  const third = await codeFor(email);
  await sql`update address_proofs set attempts = 4 where id = ${third.id}`.execute(db);
  assert.equal((await verify(third.id, email, otherCode(third.code))).status, 401);
  assert.equal((await verify(third.id, email, third.code)).status, 401, 'the sixth attempt');
});

test('counts attempts that arrive together', async () => {
  const email = newEmail();
  await accept(await invite('/users', email, 'support'));
  const { id, code } = await codeFor(email);
  const attempts = Array.from({ length: 8 }, () => verify(id, email, otherCode(code)));
  assert.deepEqual(
    (await Promise.all(attempts)).map(({ status }) => status),
    Array(8).fill(401),
  );
  const { rows } = await sql`select attempts from address_proofs where id = ${id}`.execute(db);
  assert.deepEqual(rows, [{ attempts: 5 }]);
  assert.equal((await verify(id, email, code)).status, 401);
});

test('answers the same to known and unknown addresses, and leaves the same rows', async () => {
  const known = newEmail();
  await accept(await invite('/users', known, 'support'));
  await noMailWaits();
  const unknown = newEmail();
  const shape = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>) => ({
    status,
    keys: Object.keys(body.data),
    length: headers.get('content-length'),
    cookie: headers.get('set-cookie'),
  });
  const rowsOf = async (email: string) => {
    const { rows } = await sql<{ proofs: number }>`
      select count(*)::int as proofs from address_proofs where email = ${email}`.execute(db);
    return rows[0]?.proofs;
  };
  assert.deepEqual(shape(await ask(known)), shape(await ask(unknown)));
  const recover = (email: string) => page('POST', `${base}/recovery`, { body: { email } });
  assert.deepEqual(shape(await recover(known)), shape(await recover(unknown)));
  // Both leave the same rows, and only the worker reads users.
  assert.equal(await rowsOf(known), 2);
  assert.equal(await rowsOf(unknown), 2);
  assert.deepEqual(await mailsTo(unknown), []);
  assert.equal((await mailsTo(known)).length, 3, 'the invitation, the code and the link');
  const wrong = async (email: string) => verify((await ask(email)).body.data.request_id, email, '00000000');
  const [a, b] = [await wrong(known), await wrong(unknown)];
  assert.equal(a.status, 401);
  assert.deepEqual([a.status, a.bytes], [b.status, b.bytes]);
});

test('runs the same statements for known and unknown addresses', async () => {
  const known = newEmail();
  await accept(await invite('/users', known, 'support'));
  const statements: string[] = [];
  const recorded = db.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind === 'RawNode' ? node.sqlFragments.join('$') : node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const deps = {
    db: recorded,
    keyedHash: context.keyedHash,
    limits: createSignInLimits(),
    outbox: createOutbox(context.encryption, context.keyedHash),
    passwords: createPasswords(context.keyedHash),
    encryption: context.encryption,
    brandName: 'Parley',
  };
  const browser = { address: '127.0.0.1', userAgent: null, cookie: null };
  const run = async (email: string) => {
    statements.length = 0;
    const { request_id } = await requestCode(deps, browser, { email });
    await requestRecovery(deps, browser, { email });
    await assert.rejects(signInWithCode(deps, browser, { request_id, email, code: '00000000' }));
    return [...statements];
  };
  const ofKnown = await run(known);
  assert.ok(ofKnown.length >= 9, `${ofKnown.length} statements`);
  assert.deepEqual(await run(newEmail()), ofKnown);
});

test('mails a link that sets a new password and ends earlier sessions', async () => {
  const email = newEmail();
  const accepted = await accept(await invite('/users', email, 'support'));
  const asked = await page('POST', `${base}/recovery`, { body: { email, language: 'es' } });
  assert.equal(asked.status, 200);
  const mail = (await mailsTo(email)).find(({ subject }) => subject === 'Nueva contraseña para Parley');
  assert.ok(mail !== undefined);
  const link = /https:\/\/parley\.example\.com\/console\/reset#[\w-]{43}/.exec(mail.text)?.[0] ?? '';
  assert.ok(mail.html.includes(link));
  const renewed = 'another long password';
  const reset = () => page('POST', `${base}/reset`, { body: { token: tokenOf(link), password: renewed } });
  const recovered = await reset();
  assert.equal(recovered.status, 200);
  assert.equal(await isSignedIn(cookieOf(accepted)), false);
  assert.equal(await isSignedIn(cookieOf(recovered)), true);
  assert.equal((await reset()).body.details.reason, 'link_used');
  assert.equal((await signIn(email)).status, 401);
  assert.equal((await signIn(email, renewed)).status, 200);
});

test('a proof joins the users of an address, and a password of before opens none of them', async () => {
  const email = newEmail();
  const [mine, theirs] = [await newTeam(), await newTeam()];
  // The owner of the other team knows the link, and sets a password.
  const stranger = await accept(await invite(theirs, email), 'the password of a stranger');
  const invited = await invite(mine, email);
  const { session, cookie } = await signInByCode(email);
  assert.equal(session.memberships.length, 2);
  assert.equal(await isSignedIn(cookieOf(stranger)), false);
  assert.equal((await signIn(email, 'the password of a stranger')).status, 401);
  assert.equal((await accept(invited)).body.details.reason, 'link_used');
  const set = await page('PUT', `${base}/password`, { cookie, body: { password } });
  assert.equal(set.status, 200);
  // A later invitation joins, too, and the password of the proved person stays.
  await invite(await newTeam(), email);
  assert.equal((await signInByCode(email)).session.memberships.length, 3);
  assert.equal((await signIn(email)).body.data.memberships.length, 3);
});

test('a proof leaves the password of the only person as it is', async () => {
  const email = newEmail();
  await accept(await invite(await newTeam(), email));
  await signInByCode(email);
  assert.equal((await signIn(email)).status, 200);
});

test('two proofs of one address at once make one person', async () => {
  const email = newEmail();
  await invite(await newTeam(), email);
  await invite(await newTeam(), email);
  const codes = [await codeFor(email), await codeFor(email)];
  const both = await Promise.all(codes.map(({ id, code }) => verify(id, email, code)));
  assert.deepEqual(
    both.map(({ status, body }) => [status, body.data?.memberships.length]),
    [
      [200, 2],
      [200, 2],
    ],
  );
  const { rows } = await sql`select from people where email = ${email}`.execute(db);
  assert.equal(rows.length, 1);
});

test('a code and the acceptance of an invitation at once leave one person', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = newEmail();
    const invited = await invite(await newTeam(), email);
    const { id, code } = await codeFor(email);
    const [accepted, signedIn] = await Promise.all([accept(invited), verify(id, email, code)]);
    assert.equal(signedIn.status, 200);
    assert.ok(accepted.status === 200 || accepted.body.details.reason === 'link_used');
    const { rows } = await sql`select from people where email = ${email}`.execute(db);
    assert.equal(rows.length, 1);
  }
});

test('sends no code to an address whose users were never invited', async () => {
  const email = newEmail();
  await api('POST', '/teams', { body: { user: { name: 'Ana', email }, team: { name: 'Quay' } } });
  await ask(email);
  assert.deepEqual(await mailsTo(email), []);
});

test('mails at most 20 codes and links an hour to an address, and answers the same', async () => {
  const email = newEmail();
  await accept(await invite('/users', email, 'support'));
  await sql`update mail_rates set sent_at = array_fill(now(), array[20])`.execute(db);
  const asked = await ask(email);
  assert.equal(asked.status, 200);
  assert.equal((await mailsTo(email)).length, 1, 'only the invitation');
  assert.equal((await verify(asked.body.data.request_id, email, '00000000')).status, 401);
  await sql`delete from mail_rates`.execute(db);
});

test('refuses codes and recovery without a mail server', async () => {
  const without = await startTestApp();
  const call = (path: string) =>
    without.api('POST', `${base}${path}`, {
      token: null,
      body: { email: 'a@example.com' },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
  for (const path of ['/code', '/recovery']) {
    const refused = await call(path);
    assert.deepEqual([refused.status, refused.body.details.reason], [400, 'mail_not_configured']);
  }
  assert.equal((await without.api('GET', `${base}/means`, { token: null })).body.data.code, false);
});
