import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createApiClient } from '../../../test/api-client.ts';
import { showCode } from '../../../test/authenticator.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { createAuthenticator } from '../../../test/passkey.ts';
import { composeWorker } from '../../process/compose/worker.ts';
import { deleteExpiredChallenges } from './passkeys.queries.ts';

const mails = await startMailServer();
const app = await startTestApp({
  environment: {
    MAIL_URL: mails.url,
    MAIL_FROM: 'noreply@parley.example',
    BASE_URL: 'https://parley.example.com',
  },
});
const { api, context, baseUrl } = app;
const { db } = context;
const worker = await composeWorker(context, context);
after(() => worker.close());

// Passkeys belong to names, not to addresses.
const origin = baseUrl.replace('127.0.0.1', 'localhost');
const host = 'localhost';
const call = await createApiClient(origin, null);
const base = '/api/openapi/session';
const password = 'a long enough password';
let people = 0;

const page = (method: string, path: string, { body, cookie }: { body?: unknown; cookie?: string } = {}) =>
  call(method, `${base}${path}`, {
    ...(body === undefined ? {} : { body }),
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) },
  });
type Response = Awaited<ReturnType<typeof page>>;
const cookieOf = ({ headers }: Response): string =>
  /^parley_session=[\w-]{43}/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
const outcomeOf = ({ status, body }: Response) => [status, body.details?.reason];
const refused = [401, undefined];

async function join(role = 'admin') {
  const email = `person-${++people}@example.com`;
  const invited = await api('POST', '/users', { body: { name: 'Noor', email, role } });
  const { id, invitation_url: url } = invited.body.data;
  const body = { token: url.split('#')[1], password };
  return { id: id as string, email, cookie: cookieOf(await page('POST', '/invitation/accept', { body })) };
}

const begin = async (cookie: string) => {
  const { status, body } = await page('POST', '/passkeys/options', { cookie, body: {} });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data as { challenge: string; host: string; user: { id: string }; existing: string[] };
};

/** A person with a passkey. */
async function enrol() {
  const person = await join();
  const { cookie } = person;
  const { challenge, user } = await begin(cookie);
  const authenticator = createAuthenticator(user.id);
  const body = { name: 'Laptop', ...authenticator.create({ challenge, host, origin }) };
  const added = await page('POST', '/passkeys', { cookie, body });
  assert.equal(added.status, 200, JSON.stringify(added.body));
  return { ...person, authenticator, passkey: added.body.data as { id: string } };
}

const challengeToSignIn = async (): Promise<string> =>
  (await page('POST', '/passkey/options')).body.data.challenge;
const signIn = (body: unknown) => page('POST', '/passkey', { body });

test('is added, listed, signs in as a whole sign-in, and is removed', async () => {
  const { id, email, cookie, authenticator, passkey } = await enrol();
  const listed = await page('GET', '/passkeys', { cookie });
  const { name, host: at, last_used_at } = listed.body.data[0];
  assert.deepEqual(listed.body.data, [passkey]);
  assert.deepEqual([name, at, last_used_at], ['Laptop', host, null]);
  const challenge = await challengeToSignIn();
  const answer = await signIn(authenticator.sign({ challenge, host, origin, counter: 1 }));
  assert.deepEqual([answer.status, answer.body.data?.user.email], [200, email]);
  const session = cookieOf(answer);
  assert.ok((await page('GET', '/passkeys', { cookie: session })).body.data[0].last_used_at !== null);
  const stranger = await join();
  assert.equal((await page('DELETE', `/passkeys/${passkey.id}`, { cookie: stranger.cookie })).status, 404);
  assert.equal((await page('DELETE', '/passkeys/none', { cookie: session })).status, 404);
  assert.equal((await page('DELETE', `/passkeys/${passkey.id}`, { cookie: session })).status, 200);
  const removed = authenticator.sign({ challenge: await challengeToSignIn(), host, origin, counter: 2 });
  assert.deepEqual(outcomeOf(await signIn(removed)), refused);
  const { body } = await api('GET', `/audit-log?object_id=${passkey.id}`);
  const rows = body.data as { operation: string; user_id: string }[];
  assert.deepEqual(rows.map(({ operation }) => operation).sort(), ['createPasskey', 'deletePasskey']);
  for (const row of rows) assert.equal(row.user_id, id);
});

test('needs no second factor besides', async () => {
  const { authenticator, cookie, email } = await enrol();
  const { body } = await page('POST', '/totp', { cookie, body: {} });
  await page('POST', '/totp/confirm', { cookie, body: { code: showCode(body.data.secret) } });
  const byPassword = await page('POST', '/password', { body: { email, password } });
  assert.deepEqual(outcomeOf(byPassword), [403, 'second_factor_needed']);
  const challenge = await challengeToSignIn();
  assert.equal((await signIn(authenticator.sign({ challenge, host, origin }))).status, 200);
});

test('refuses a replayed assertion, and a challenge that is used, late or made up', async () => {
  const { authenticator } = await enrol();
  const assertion = authenticator.sign({ challenge: await challengeToSignIn(), host, origin });
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(assertion)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  assert.deepEqual(outcomeOf(await signIn(assertion)), refused);
  const late = await challengeToSignIn();
  await sql`update passkey_challenges set expires_at = now() - interval '1 second'`.execute(db);
  assert.deepEqual(outcomeOf(await signIn(authenticator.sign({ challenge: late, host, origin }))), refused);
  await deleteExpiredChallenges(db);
  const { rows } = await sql`select from passkey_challenges`.execute(db);
  assert.equal(rows.length, 0);
  const madeUp = Buffer.alloc(32, 7).toString('base64url');
  assert.deepEqual(outcomeOf(await signIn(authenticator.sign({ challenge: madeUp, host, origin }))), refused);
  const used = await challengeToSignIn();
  const forged = { ...authenticator.sign({ challenge: used, host, origin }), signature: 'MAA' };
  assert.deepEqual(outcomeOf(await signIn(forged)), refused);
  const again = authenticator.sign({ challenge: used, host, origin });
  assert.deepEqual(outcomeOf(await signIn(again)), refused, 'a failed attempt used the challenge up');
});

test('refuses another origin, another host, no user verification and the handle of another person', async () => {
  const { authenticator } = await enrol();
  const other = await enrol();
  const cases = [
    { origin: 'https://evil.example' },
    { origin: origin.replace('http:', 'https:') },
    { origin: `${origin}0` },
    { host: 'evil.example' },
    { verified: false },
  ];
  for (const change of cases) {
    const asked = { challenge: await challengeToSignIn(), host, origin, ...change };
    assert.deepEqual(outcomeOf(await signIn(authenticator.sign(asked))), refused, JSON.stringify(change));
  }
  const challenge = await challengeToSignIn();
  const asOther = { ...authenticator.sign({ challenge, host, origin }), user: other.authenticator.user };
  assert.deepEqual(outcomeOf(await signIn(asOther)), refused);
  const unknown = createAuthenticator(other.authenticator.user);
  const foreign = unknown.sign({ challenge: await challengeToSignIn(), host, origin });
  assert.deepEqual(outcomeOf(await signIn(foreign)), refused);
  const { status } = await call('POST', `${base}/passkey/options`, {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  assert.equal(status, 403);
});

test('refuses a counter that does not rise', async () => {
  const { authenticator } = await enrol();
  const use = async (counter: number) =>
    (await signIn(authenticator.sign({ challenge: await challengeToSignIn(), host, origin, counter })))
      .status;
  assert.deepEqual([await use(5), await use(5), await use(4), await use(6)], [200, 401, 401, 200]);
});

test('adds no passkey with the challenge of another person, of a sign-in, another origin or without verification', async () => {
  const [mine, other] = [await join(), await join()];
  const { user } = await begin(mine.cookie);
  const authenticator = createAuthenticator(user.id);
  const add = async (asked: Parameters<typeof authenticator.create>[0]) =>
    outcomeOf(
      await page('POST', '/passkeys', {
        cookie: mine.cookie,
        body: { name: 'Phone', ...authenticator.create(asked) },
      }),
    );
  const wrong = [400, 'passkey_refused'];
  const own = async () => ({ challenge: (await begin(mine.cookie)).challenge, host, origin });
  assert.deepEqual(await add({ ...(await own()), challenge: (await begin(other.cookie)).challenge }), wrong);
  assert.deepEqual(await add({ ...(await own()), challenge: await challengeToSignIn() }), wrong);
  assert.deepEqual(await add({ ...(await own()), origin: 'https://evil.example' }), wrong);
  assert.deepEqual(await add({ ...(await own()), host: 'evil.example' }), wrong);
  assert.deepEqual(await add({ ...(await own()), verified: false }), wrong);
  assert.deepEqual((await page('GET', '/passkeys', { cookie: mine.cookie })).body.data, []);
  const asked = await own();
  assert.deepEqual(await add(asked), [200, undefined]);
  assert.deepEqual(await add(asked), wrong, 'a challenge works once');
  assert.deepEqual(await add(await own()), wrong, 'the credential exists');
  assert.equal((await begin(mine.cookie)).existing.length, 1);
});

test('a person has at most 20, and an address has none', async () => {
  const { cookie, id } = await join();
  await sql`
    insert into passkeys (id, person_id, credential_id, public_key, counter, host, name)
    select gen_random_uuid(), m.person_id, convert_to('full-' || n, 'UTF8'), '', 0, 'localhost', 'Key'
    from memberships m, generate_series(1, 20) n where m.user_id = ${id}`.execute(db);
  const { challenge, user } = await begin(cookie);
  const body = { name: 'More', ...createAuthenticator(user.id).create({ challenge, host, origin }) };
  assert.deepEqual(outcomeOf(await page('POST', '/passkeys', { cookie, body })), [400, 'too_many_passkeys']);
  const atAddress = await api('POST', `${base}/passkey/options`, {
    token: null,
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.deepEqual([atAddress.status, atAddress.body.details.reason], [400, 'passkey_host']);
});

test('ends with the user', async () => {
  const { id, authenticator } = await enrol();
  await api('DELETE', `/users/${id}`);
  const assertion = authenticator.sign({ challenge: await challengeToSignIn(), host, origin });
  assert.deepEqual(outcomeOf(await signIn(assertion)), refused);
});

test('an old session adds no passkey and no second factor without a fresh proof', async () => {
  for (const path of ['/passkeys/options', '/totp']) {
    const { cookie, email } = await join();
    await sql`
      update sessions set created_at = now() - interval '11 minutes'
      where person_id = (select id from people where email = ${email})`.execute(db);
    const start = (body: object) => page('POST', path, { cookie, body });
    assert.deepEqual(outcomeOf(await start({})), [403, 'fresh_proof_needed'], path);
    assert.deepEqual(outcomeOf(await start({ password: 'wrong password' })), [400, 'password_wrong'], path);
    assert.equal((await start({ password })).status, 200, path);
    const asked = await page('POST', '/code', { body: { email } });
    const { request_id } = asked.body.data;
    assert.equal((await start({ request_id, code: '00000000' })).status, 401, path);
    const code = await mailedCode(email);
    assert.equal((await start({ request_id, code })).status, 200, path);
    assert.equal((await start({ request_id, code })).status, 401, 'a code works once');
    const others = await page('POST', '/code', { body: { email: (await join()).email } });
    const stolen = { request_id: others.body.data.request_id, code };
    assert.equal((await start(stolen)).status, 401, 'a code for another address');
  }
});

async function mailedCode(email: string): Promise<string> {
  return eventually(async () => {
    const index = mails.received.findIndex(({ recipients }) => recipients[0] === email);
    assert.ok(index >= 0);
    const [mail] = mails.received.splice(index, 1);
    return /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? assert.fail();
  }, 60_000);
}
