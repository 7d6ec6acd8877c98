import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { showCode } from '../../../test/authenticator.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { composeWorker } from '../../process/compose/worker.ts';
import { createOwnerLink } from './owner-link.ts';

const server = await startMailServer();
const { api, context } = await startTestApp({
  environment: {
    MAIL_URL: server.url,
    MAIL_FROM: 'noreply@parley.example',
    BASE_URL: 'https://parley.example.com',
    BRAND_NAME: 'Quay Bots',
  },
});
const { db } = context;
const worker = await composeWorker(context, context);
after(() => worker.close());

const base = '/api/openapi/session';
const password = 'a long enough password';
let people = 0;

const page = (method: string, path: string, { body, cookie }: { body?: unknown; cookie?: string } = {}) =>
  api(method, path, {
    token: null,
    ...(body === undefined ? {} : { body }),
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) },
  });
type Response = Awaited<ReturnType<typeof page>>;
const cookieOf = ({ headers }: Response): string =>
  /^parley_session=[\w-]{43}/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
const outcomeOf = ({ status, body }: Response) => [status, body.details?.reason];
const needed = [403, 'second_factor_needed'];
const wrong = [403, 'second_factor_wrong'];

async function join(role = 'admin') {
  const email = `person-${++people}@example.com`;
  const invited = await api('POST', '/users', { body: { name: 'Noor', email, role } });
  const { id, invitation_url: url } = invited.body.data;
  const accepted = await page('POST', `${base}/invitation/accept`, {
    body: { token: url.split('#')[1], password },
  });
  return { id: id as string, email, cookie: cookieOf(accepted) };
}

/** A person with a second factor. */
async function enrol(role?: string) {
  const person = await join(role);
  const { cookie } = person;
  const started = await page('POST', `${base}/totp`, { cookie });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const { secret } = started.body.data;
  const code = showCode(secret);
  const confirmed = await page('POST', `${base}/totp/confirm`, { cookie, body: { code } });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { ...person, secret: secret as string, code, codes: confirmed.body.data.recovery_codes as string[] };
}

const signIn = (email: string, second_factor?: string) =>
  page('POST', `${base}/password`, { body: { email, password, second_factor } });

test('a second factor counts once a code of the app has confirmed it', async () => {
  const { email, cookie } = await join();
  const { body, headers } = await page('POST', `${base}/totp`, { cookie });
  const { secret, url, qr_code } = body.data;
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.ok(url.startsWith(`otpauth://totp/Quay%20Bots:${encodeURIComponent(email)}?`), url);
  assert.match(qr_code, /^data:image\/png;base64,/);
  assert.equal((await signIn(email)).status, 200, 'not confirmed');
  const confirm = (code: string) => page('POST', `${base}/totp/confirm`, { cookie, body: { code } });
  assert.deepEqual(outcomeOf(await confirm(showCode(secret, 9))), wrong);
  assert.equal((await confirm('12345')).status, 400);
  const confirmed = await confirm(showCode(secret));
  assert.equal(new Set(confirmed.body.data.recovery_codes).size, 10);
  assert.deepEqual(outcomeOf(await confirm(showCode(secret))), [400, 'second_factor_absent']);
  assert.deepEqual(outcomeOf(await page('POST', `${base}/totp`, { cookie })), [400, 'second_factor_active']);
  const session = (await page('GET', base, { cookie })).body.data;
  assert.deepEqual([session.has_second_factor, session.recovery_codes], [true, 10]);
  assert.deepEqual(outcomeOf(await signIn(email)), needed);
  const { rows } = await sql<{
    text: string;
  }>`select row_to_json(f)::text as text from second_factors f`.execute(db);
  assert.ok(
    !rows.some(({ text }) => text.includes(Buffer.from(secret).toString('hex'))),
    'the secret is sealed',
  );
});

test('a begun second factor ends after 15 minutes, and a newer one replaces it', async () => {
  const { cookie } = await join();
  const start = async () => (await page('POST', `${base}/totp`, { cookie })).body.data.secret as string;
  const confirm = (secret: string) =>
    page('POST', `${base}/totp/confirm`, { cookie, body: { code: showCode(secret) } });
  const [first, second] = [await start(), await start()];
  assert.deepEqual(outcomeOf(await confirm(first)), wrong);
  await sql`update second_factors set created_at = now() - interval '16 minutes' where confirmed_at is null`.execute(
    db,
  );
  assert.deepEqual(outcomeOf(await confirm(second)), [400, 'second_factor_absent']);
  assert.equal((await confirm(await start())).status, 200);
});

test('a password needs a code of the app, which works once', async () => {
  const { email, secret, code: before } = await enrol();
  assert.deepEqual(outcomeOf(await signIn(email, before)), wrong, 'the code that confirmed');
  assert.deepEqual(outcomeOf(await signIn(email, showCode(secret, 9))), wrong);
  const code = showCode(secret, 1);
  const [one, two] = await Promise.all([
    signIn(email, `${code.slice(0, 3)} ${code.slice(3)}`),
    signIn(email, code),
  ]);
  assert.deepEqual([one.status, two.status].sort(), [200, 403], 'a race for the same code');
  const unknown = { email, password: 'not the password', second_factor: showCode(secret) };
  assert.equal(
    (await page('POST', `${base}/password`, { body: unknown })).status,
    401,
    'the password counts first',
  );
});

test('a recovery code takes the place of the phone, once', async () => {
  const { email, codes } = await enrol();
  const [first = '', second = ''] = codes;
  const opened = await signIn(email, first.toLowerCase().replaceAll('-', ' '));
  assert.equal(opened.status, 200);
  assert.equal(opened.body.data.recovery_codes, 9);
  assert.deepEqual(outcomeOf(await signIn(email, first)), wrong);
  const other = await enrol();
  assert.deepEqual(outcomeOf(await signIn(other.email, second)), wrong, 'of somebody else');
  assert.equal((await signIn(email, second)).body.data.recovery_codes, 8);
});

test('limits the attempts of an account, wherever they come from', async () => {
  const { email, codes } = await enrol();
  const outcomes: unknown[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1)
    outcomes.push((await signIn(email, `00000${attempt}`)).status);
  assert.deepEqual(outcomes.slice(0, 4), [403, 403, 403, 403]);
  const limited = await signIn(email, codes[0]);
  assert.deepEqual(outcomeOf(limited), [429, 'too_many_attempts']);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
});

test('codes and recovery links by e-mail need it, too, and stay usable', async () => {
  const { email, codes } = await enrol();
  const mailed = (pattern: RegExp) =>
    eventually(async () => {
      const texts = server.received
        .filter(({ recipients }) => recipients.includes(email))
        .map(({ text }) => text);
      const found = texts.map((text) => pattern.exec(text)?.[1]).find((text) => text !== undefined);
      assert.ok(found !== undefined);
      return found;
    }, 60_000);
  const { request_id } = (await page('POST', `${base}/code`, { body: { email } })).body.data;
  const code = await mailed(/^(\d{8})$/m);
  const verify = (second_factor?: string) =>
    page('POST', `${base}/code/verify`, { body: { request_id, email, code, second_factor } });
  assert.deepEqual(outcomeOf(await verify()), needed);
  assert.deepEqual(outcomeOf(await verify('000000')), wrong);
  assert.equal((await verify(codes[0])).status, 200);
  assert.equal((await page('POST', `${base}/recovery`, { body: { email } })).status, 200);
  const token = await mailed(/\/reset#(\S+)/);
  const reset = (second_factor?: string) =>
    page('POST', `${base}/reset`, { body: { token, password: 'another long password', second_factor } });
  assert.deepEqual(outcomeOf(await reset()), needed);
  assert.equal((await signIn(email, codes[1])).status, 200, 'the password stays');
  assert.equal((await reset(codes[2])).status, 200);
});

test('a proof of the address does not replace it: another user of the address stays apart', async () => {
  const { email, id } = await enrol();
  const user = { name: 'Ana', email: `person-${++people}@example.com` };
  const { team } = (await api('POST', '/teams', { body: { user, team: { name: 'Quay' } } })).body.data;
  await api('POST', `/teams/${team.id}/members`, { body: { name: 'Noor', email, role: 'viewer' } });
  const { request_id } = (await page('POST', `${base}/code`, { body: { email } })).body.data;
  const code = await eventually(async () => {
    const mail = server.received.findLast(
      ({ recipients, text }) => recipients.includes(email) && /^\d{8}$/m.test(text),
    );
    assert.ok(mail !== undefined);
    return /^(\d{8})$/m.exec(mail.text)?.[1] ?? '';
  }, 60_000);
  const opened = await page('POST', `${base}/code/verify`, { body: { request_id, email, code } });
  assert.equal(opened.status, 200);
  assert.ok(!opened.body.data.memberships.some(({ user_id }: { user_id: string }) => user_id === id));
  assert.deepEqual(outcomeOf(await signIn(email)), needed);
});

test('is removed with the password or a code, and leaves the session', async () => {
  const remove = (cookie: string, body: object) => page('POST', `${base}/totp/remove`, { cookie, body });
  const byPassword = await enrol();
  assert.deepEqual(outcomeOf(await remove(byPassword.cookie, {})), needed);
  assert.deepEqual(outcomeOf(await remove(byPassword.cookie, { password: 'wrong password' })), [
    400,
    'password_wrong',
  ]);
  assert.deepEqual(outcomeOf(await remove(byPassword.cookie, { second_factor: '000000' })), wrong);
  assert.equal((await remove(byPassword.cookie, { password })).status, 200);
  assert.deepEqual(outcomeOf(await remove(byPassword.cookie, { password })), [400, 'second_factor_absent']);
  assert.equal((await signIn(byPassword.email)).status, 200);
  assert.equal((await page('GET', base, { cookie: byPassword.cookie })).body.data.has_second_factor, false);
  const byCode = await enrol();
  assert.equal((await remove(byCode.cookie, { second_factor: showCode(byCode.secret, 1) })).status, 200);
  const byRecovery = await enrol();
  assert.equal((await remove(byRecovery.cookie, { second_factor: byRecovery.codes[9] })).status, 200);
});

test('a link of the machine opens the console for an owner who lost the phone', async () => {
  const owner = await enrol('owner');
  const token = await createOwnerLink(db, owner.email);
  const opened = await page('POST', `${base}/reset`, { body: { token } });
  assert.equal(opened.status, 200);
  const cookie = cookieOf(opened);
  const changed = await page('PUT', `${base}/password`, {
    cookie,
    body: { password: 'quite another password' },
  });
  assert.equal(changed.status, 200, 'a session that proved it needs no code for a new password');
  const removed = await page('POST', `${base}/totp/remove`, {
    cookie: cookieOf(changed),
    body: { password: 'quite another password' },
  });
  assert.equal(removed.status, 200);
});

test('the audit log has each change and no secret', async () => {
  const { id, cookie, email, codes } = await enrol();
  await signIn(email, codes[0]);
  await page('POST', `${base}/totp/remove`, { cookie, body: { password } });
  const { body } = await api('GET', `/audit-log?user_id=${id}`);
  const rows = body.data.filter(({ object_type: type }: { object_type: string }) => type === 'second_factor');
  assert.deepEqual(
    rows.map(({ operation }: { operation: string }) => operation),
    ['deleteSecondFactor', 'signInWithPassword', 'confirmSecondFactor', 'startSecondFactor'],
  );
  assert.deepEqual(rows[1].after, { recovery_codes_hash: '***' });
  assert.equal(rows[3].after.secret_sealed, '***');
});
