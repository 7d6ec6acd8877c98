import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, mock, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness.ts';
import { type Account, startIdentityProvider } from '../../../test/identity-provider.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createOidcProvider, isRefusal } from './oidc-provider.ts';

const redirectUri = 'https://parley.example.com/console/sign-in/oidc';
const identity = await startIdentityProvider(redirectUri);
const environment = {
  BASE_URL: 'https://parley.example.com',
  OIDC_ISSUER: identity.issuer,
  OIDC_CLIENT_ID: 'parley',
  OIDC_CLIENT_SECRET: 'secret-of-parley',
  OIDC_DEFAULT_ROLE: 'support',
  OIDC_ALLOWED_DOMAINS: 'partner.example',
};
const { api, context } = await startTestApp({ environment });
const { db } = context;

const base = '/api/openapi/session';
let people = 0;
const newAccount = (given: Partial<Account> = {}): Account => {
  const sub = `account-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Noor', ...given };
};

const page = (method: string, path: string, { body, cookie }: { body?: unknown; cookie?: string } = {}) =>
  api(method, path, {
    token: null,
    ...(body === undefined ? {} : { body }),
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) },
  });
const cookieOf = ({ headers }: { headers: Headers }, name: RegExp): string =>
  headers
    .getSetCookie()
    .find((cookie) => name.test(cookie))
    ?.split(';')[0] ?? '';

async function begin() {
  const started = await page('POST', `${base}/oidc/start`);
  assert.equal(started.status, 200, JSON.stringify(started.body));
  return { url: started.body.data.url as string, cookie: cookieOf(started, /^parley_oidc_/) };
}
const finish = (callback: URL, cookie?: string) => {
  const { code, state, iss } = Object.fromEntries(callback.searchParams);
  return page('POST', `${base}/oidc`, { body: { code, state, iss }, ...(cookie ? { cookie } : {}) });
};
async function signIn(account: Account) {
  const { url, cookie } = await begin();
  return finish(await identity.signIn(url, account), cookie);
}
const invite = async (account: Account, role = 'admin') =>
  (await api('POST', '/users', { body: { name: 'Noor', email: account.email, role } })).body.data;

test('signs an invited person in, and later by the account whatever its address', async () => {
  assert.equal((await page('GET', `${base}/means`)).body.data.oidc, true);
  const account = newAccount();
  const invited = await invite(account);
  const first = await signIn(account);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual([first.body.data.user.id, first.body.data.has_password], [invited.id, false]);
  const session = cookieOf(first, /^parley_session=/);
  assert.equal((await page('GET', base, { cookie: session })).body.data.user.id, invited.id);
  assert.match(cookieOf(first, /^parley_oidc_/), /=$/, 'the cookie of the sign-in ends');
  const moved = await signIn({ ...account, email: 'other@example.com', email_verified: false });
  assert.equal(moved.body.data.user.id, invited.id);
});

test('joins the users of a verified address, and those who are invited later', async () => {
  const account = newAccount();
  await invite(account);
  assert.equal((await signIn(account)).body.data.memberships.length, 1);
  const user = { name: 'Ana', email: newAccount().email };
  const { body } = await api('POST', '/teams', { body: { user, team: { name: 'Quay' } } });
  await api('POST', `/teams/${body.data.team.id}/members`, {
    body: { name: 'Noor', email: account.email, role: 'agent' },
  });
  assert.equal((await signIn(account)).body.data.memberships.length, 2);
});

test('refuses unverified and unknown addresses, and other domains', async () => {
  const unverified = newAccount({ email_verified: false });
  await invite(unverified);
  const strangers = [
    unverified,
    newAccount(),
    newAccount({ email: 'a@partner.example', email_verified: false }),
    newAccount({ email: 'a@evil-partner.example' }),
    newAccount({ email: 'a@partner.example.evil.example' }),
    { sub: 'without-address' },
  ];
  for (const account of strangers) {
    const refused = await signIn(account);
    assert.deepEqual([refused.status, refused.body.details?.reason], [403, 'not_invited']);
    assert.equal(cookieOf(refused, /^parley_session=/), '');
  }
});

test('makes people of the allowed domains members of the staff, once', async () => {
  const account = newAccount({ email: 'Mia@Partner.example' });
  const tabs = await Promise.all([begin(), begin()]);
  const signedIn = await Promise.all(
    tabs.map(async ({ url, cookie }) => finish(await identity.signIn(url, account), cookie)),
  );
  for (const { status, body } of signedIn) {
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.data.role, body.data.team], ['support', null]);
  }
  const { rows } = await sql`select from users where lower(email) = 'mia@partner.example'`.execute(db);
  assert.equal(rows.length, 1);
});

test('does not bring back by itself who was removed from the staff', async () => {
  const account = newAccount({ email: 'Kim@Partner.example' });
  const admitted = await signIn(account);
  assert.equal(admitted.status, 200, JSON.stringify(admitted.body));
  const { id } = admitted.body.data.user;
  const session = cookieOf(admitted, /^parley_session=/);
  assert.equal((await api('DELETE', `/users/${id}`)).status, 200);
  assert.equal((await page('GET', base, { cookie: session })).status, 401);
  const returns = [
    account,
    { ...account, email: 'kim.new@partner.example' },
    newAccount({ email: 'kim@partner.example' }),
  ];
  for (const given of returns) {
    const refused = await signIn(given);
    assert.deepEqual([refused.status, refused.body.details?.reason], [403, 'not_invited']);
  }
  await invite(account, 'support');
  assert.equal((await signIn(account)).body.data.role, 'support');
  const neverSignedIn = await invite(newAccount({ email: 'lea@partner.example' }));
  assert.equal((await api('DELETE', `/users/${neverSignedIn.id}`)).status, 200);
  assert.equal(
    (await signIn(newAccount({ email: 'lea@partner.example' }))).status,
    403,
    'a removed invitation',
  );
});

test('reads from userinfo whether the address of the token is verified', async () => {
  const account = newAccount();
  await invite(account);
  const unsure = { ...account, inToken: { email: account.email } };
  assert.equal((await signIn({ ...unsure, email_verified: false })).status, 403);
  assert.equal((await signIn(unsure)).status, 200);
  const denied = newAccount({ inToken: { email: 'denied@example.com', email_verified: false } });
  await invite(denied);
  assert.equal((await signIn(denied)).status, 403, 'the token says that it is not');
  const inToken = newAccount();
  await invite(inToken);
  const { email } = inToken;
  const whole = { sub: inToken.sub, inToken: { email, email_verified: 'true', name: 'Noor' } };
  assert.equal((await signIn(whole)).status, 200, 'a token with everything');
});

test('refuses a response 10 minutes after the begin, even if the browser kept the cookie', async () => {
  const account = newAccount();
  await invite(account);
  const { url, cookie } = await begin();
  const callback = await identity.signIn(url, account);
  const [name = '', secret = ''] = cookie.split('=');
  const postponed = `${name}=${secret.split('.')[0]}.${Date.now() + 600_000}`;
  assert.equal((await finish(callback, postponed)).status, 401, 'a changed time');
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_001 });
  try {
    assert.equal((await finish(callback, cookie)).status, 401);
  } finally {
    mock.timers.reset();
  }
  assert.equal((await finish(callback, cookie)).status, 200, 'the code itself was still good');
});

test('takes a response only in the browser that began, once', async () => {
  const account = newAccount();
  await invite(account);
  const [mine, other] = [await begin(), await begin()];
  const callback = await identity.signIn(mine.url, account);
  assert.equal((await finish(callback)).status, 401, 'another browser');
  assert.equal((await finish(callback, other.cookie)).status, 401, 'the cookie of another sign-in');
  const name = mine.cookie.split('=')[0];
  const planted = `${name}=${other.cookie.split('=')[1]}`;
  assert.equal((await finish(callback, planted)).status, 401, 'the secret of another sign-in');
  const crossed = new URL(callback);
  crossed.searchParams.set('state', new URL(other.url).searchParams.get('state') ?? '');
  assert.equal((await finish(crossed, other.cookie)).status, 401, 'a code of another sign-in');
  const foreign = new URL(await identity.signIn(other.url, account));
  foreign.searchParams.set('iss', 'https://evil.example');
  assert.equal((await finish(foreign, other.cookie)).status, 401, 'another issuer');
  const again = await begin();
  const used = await identity.signIn(again.url, account);
  assert.equal((await finish(used, again.cookie)).status, 200);
  assert.equal((await finish(used, again.cookie)).status, 401, 'a code that was used');
});

test('ends the session that a cookie brought along, and needs a page of this host', async () => {
  const account = newAccount();
  await invite(account);
  const planted = cookieOf(await signIn(account), /^parley_session=/);
  const { url, cookie } = await begin();
  const signedIn = await finish(await identity.signIn(url, account), `${cookie}; ${planted}`);
  assert.notEqual(cookieOf(signedIn, /^parley_session=/), planted);
  assert.equal((await page('GET', base, { cookie: planted })).status, 401);
  const options = { token: null, headers: { 'sec-fetch-site': 'cross-site' } };
  for (const path of ['oidc/start', 'oidc'])
    assert.equal((await api('POST', `${base}/${path}`, options)).status, 403);
});

test('leads only to the provider, which leads only to the console', async () => {
  const address = new URL((await begin()).url);
  assert.equal(address.origin, identity.issuer);
  assert.equal(address.searchParams.get('redirect_uri'), redirectUri);
  const given = await page('POST', `${base}/oidc/start`, { body: { return_to: 'https://evil.example' } });
  assert.ok(given.status === 400 || new URL(given.body.data.url).origin === identity.issuer);
  address.searchParams.set('redirect_uri', 'https://evil.example/');
  const response = await fetch(address, { redirect: 'manual' });
  assert.deepEqual([response.status, response.headers.get('location')], [400, null]);
});

test('starts while the provider is away, and says so', async () => {
  const account = newAccount();
  await invite(account);
  const { url, cookie } = await begin();
  const callback = await identity.signIn(url, account);
  identity.close();
  const late = await finish(callback, cookie);
  assert.deepEqual([late.status, late.body.details.reason], [503, 'oidc_unavailable']);
  const second = await startTestApp({ environment });
  const options = { token: null, headers: { 'sec-fetch-site': 'same-origin' } };
  const away = await second.api('POST', `${base}/oidc/start`, options);
  assert.deepEqual([away.status, away.body.details.reason], [503, 'oidc_unavailable']);
});

test('gives up on a provider that never responds, whatever the step', async () => {
  const [timeoutMs, binding] = [300, { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }];
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const settings = { issuer, clientId: 'parley', clientSecret: 'secret', redirectUri };
  const connect = () =>
    createOidcProvider(settings, createOutbound({ allowedHosts: [new URL(issuer).host] }), timeoutMs);
  const givesUp = (error: unknown) =>
    !isRefusal(error) && /did not respond within 0.3 s|timed? ?out/i.test(`${error}`);
  await assert.rejects(connect().authorizationUrl(binding), givesUp);
  silent.on('request', ({ url }, response) => {
    if (url !== '/.well-known/openid-configuration') return;
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks` }));
  });
  const provider = connect();
  assert.ok((await provider.authorizationUrl(binding)).startsWith(`${issuer}/authorize?`));
  await assert.rejects(provider.exchange({ code: 'c' }, binding), givesUp);
});

test('says that no provider is configured', async () => {
  const without = await startTestApp();
  const options = { token: null, headers: { 'sec-fetch-site': 'same-origin' } };
  const refused = await without.api('POST', `${base}/oidc/start`, options);
  assert.deepEqual([refused.status, refused.body.details.reason], [400, 'oidc_not_configured']);
});
