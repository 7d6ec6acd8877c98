import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { composeWorker } from '../../process/compose/worker.ts';

const mails = await startMailServer();
const app = await startTestApp({
  environment: {
    MAIL_URL: mails.url,
    MAIL_FROM: 'noreply@parley.example',
    BASE_URL: 'https://parley.example.com',
    BRAND_COLOR: '#123456',
  },
});
const { api, baseUrl, context, issueKey } = app;
const elsewhere = await openTestContext(context.databaseUrl);
const other = await startApiOn(elsewhere);
after(() => elsewhere.close());
const { db } = context;

const nothing = { name: null, color: null, logo: null, sender_name: null, accents: null, updated_at: null };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const uriOf = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;

let teams = 0;
async function newTeam() {
  const user = { name: 'Ana', email: `ana-${++teams}@example.com` };
  const { body } = await api('POST', '/teams', { body: { user, team: { name: 'Bakery' } } });
  const id: string = body.data.team.id;
  return { id, brand: `/teams/${id}/brand`, owner: body.data.user.id as string };
}

/** The Host header decides, and fetch refuses to set it. */
const statusAt = (host: string, of = baseUrl, path = '/api/openapi/v1/teams') =>
  new Promise<number | undefined>((resolve, reject) => {
    request(new URL(path, of), { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('keeps the brand of a team, and a later one replaces all of it', async () => {
  const { brand } = await newTeam();
  assert.deepEqual((await api('GET', brand)).body.data, nothing);
  const body = { name: 'Crumb', color: '#FFEE00', logo: uriOf(png), sender_name: 'Crumb & Co' };
  const { status, body: put } = await api('PUT', brand, { body });
  assert.equal(status, 200);
  const { updated_at, accents, ...values } = put.data;
  assert.deepEqual(values, { ...body, color: '#ffee00' });
  assert.equal(accents.on_accent, '#000000');
  assert.deepEqual((await api('GET', brand)).body.data, put.data);
  const replaced = (await api('PUT', brand, { body: { name: 'Loaf' } })).body.data;
  assert.deepEqual({ ...replaced, updated_at: null }, { ...nothing, name: 'Loaf' });
  assert.ok(updated_at !== null && replaced.updated_at !== null);
});

test('refuses values that no brand can have', async () => {
  const { brand } = await newTeam();
  const big = Buffer.concat([png, Buffer.alloc(256 * 1024 - png.length + 1)]);
  const huge = Buffer.from(png);
  huge.writeUInt32BE(2001, 16);
  const empty = Buffer.from(png);
  empty.writeUInt32BE(0, 20);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const cases: [string, unknown][] = [
    ['color', 'red'],
    ['color', '#12345'],
    ['color', '#1234567'],
    ['color', '#0b5cad;}'],
    ['name', ''],
    ['name', 'x'.repeat(101)],
    ['name', 'a\r\nBcc: eve@example.com'],
    ['sender_name', 'a\nb'],
    ['logo', ''],
    ['logo', 'https://example.com/logo.png'],
    ['logo', uriOf(svg, 'image/svg+xml')],
    ['logo', uriOf(svg)],
    ['logo', uriOf(png, 'image/jpeg')],
    ['logo', uriOf(png, 'image/webp')],
    ['logo', uriOf(big)],
    ['logo', uriOf(huge)],
    ['logo', uriOf(empty)],
    ['logo', uriOf(png.subarray(0, 20))],
    ['logo', `${uriOf(png)}"><script>`],
  ];
  for (const [path, value] of cases) {
    const { status, body } = await api('PUT', brand, { body: { [path]: value } });
    assert.equal(status, 400, `${path} ${String(value).slice(0, 60)}`);
    assert.equal(body.details.issues[0].path, path);
  }
  const largest = big.subarray(0, 256 * 1024);
  huge.writeUInt32BE(2000, 16);
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100ffd9', 'hex');
  const webp = Buffer.from(
    `52494646${'00'.repeat(4)}5745425056503858${'00'.repeat(4)}00000000${'0f0000'.repeat(2)}00`,
    'hex',
  );
  for (const logo of [uriOf(largest), uriOf(huge), uriOf(jpeg, 'image/jpeg'), uriOf(webp, 'image/webp')])
    assert.equal((await api('PUT', brand, { body: { logo } })).status, 200, logo.slice(0, 60));
});

test('the owner of a team changes its own brand, and nobody that of another team', async () => {
  const [mine, foreign] = [await newTeam(), await newTeam()];
  await api('PUT', foreign.brand, { body: { name: 'Rival' } });
  const owner = await issueKey({ teamId: mine.id, role: 'owner' });
  const editor = await issueKey({ teamId: mine.id, role: 'editor' });
  const put = (path: string, token: string) => api('PUT', path, { token, body: { name: 'Mine' } });
  assert.equal((await put(mine.brand, owner.token)).status, 200);
  assert.equal((await put(mine.brand, editor.token)).status, 403);
  assert.equal((await api('GET', mine.brand, { token: editor.token })).status, 200);
  for (const { token } of [owner, editor]) {
    const { status, body } = await api('GET', foreign.brand, { token });
    assert.deepEqual([status, body.details.reason], [404, 'team_not_found']);
  }
  assert.equal((await put(foreign.brand, owner.token)).status, 404);
  assert.equal((await api('GET', foreign.brand)).body.data.name, 'Rival');
  assert.equal((await put(`/teams/${crypto.randomUUID()}/brand`, app.key.token)).status, 404);
});

test('mails and invitations have the brand, and mails of the staff that of the deployment', async () => {
  const { id, brand, owner } = await newTeam();
  await api('PUT', brand, {
    body: { name: 'Crumb', color: '#aa3300', sender_name: 'Crumb "Desk" <x@y.example>' },
  });
  const invited = await api('POST', `/teams/${id}/members/${owner}/invite`);
  await api('POST', '/users', { body: { name: 'Sam', email: 'sam@example.com', role: 'support' } });
  const worker = await composeWorker(context, context);
  await eventually(async () => assert.equal(mails.received.length, 2), 60_000);
  await worker.close();
  const [ofTeam, ofStaff] = ['ana', 'sam'].map((name) =>
    mails.received.find(({ recipients }) => recipients[0]?.startsWith(name)),
  );
  assert.deepEqual(ofTeam?.from, { name: 'Crumb "Desk" <x@y.example>', address: 'noreply@parley.example' });
  assert.match(ofTeam.html, /#aa3300/);
  assert.match(ofTeam.text, /-- \nCrumb/);
  assert.equal(ofStaff?.from?.name, 'Parley');
  assert.match(ofStaff.html, /#123456/);
  const { body } = await api('POST', '/api/openapi/session/invitation', {
    token: null,
    body: { token: invited.body.data.invitation_url.split('#')[1] },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(body.data.brand.name, 'Crumb');
});

test('is audited without the bytes of the logo', async () => {
  const { id, brand } = await newTeam();
  await api('PUT', brand, { body: { name: 'Crumb', logo: uriOf(Buffer.concat([png, Buffer.alloc(5000)])) } });
  await api('PUT', '/hosts/audited.example', { body: { team_id: id } });
  const { body } = await api('GET', `/audit-log?team_id=${id}`);
  const rows = body.data as { operation: string; object_type: string; after: Record<string, unknown> }[];
  const changed = rows.find(({ operation }) => operation === 'putBrand');
  assert.deepEqual([changed?.object_type, changed?.after['name']], ['brand', 'Crumb']);
  assert.ok(JSON.stringify(changed).length < 2000);
  assert.equal(rows.find(({ operation }) => operation === 'putHost')?.after['name'], 'audited.example');
});

test('every process responds to a host from its registration to its end, without a statement for a request', async () => {
  const { id } = await newTeam();
  const host = 'chat.bakery.example';
  for (const base of [baseUrl, other.baseUrl]) assert.equal(await statusAt(host, base), 400);
  assert.equal((await api('PUT', `/hosts/${host}`, { body: { team_id: id } })).status, 200);
  assert.equal(await statusAt(host), 401);
  await eventually(async () => assert.equal(await statusAt(host, other.baseUrl), 401));
  assert.equal(await statusAt(`${host.toUpperCase()}:8443`), 401);
  // A request that asked the table would wait for the lock.
  await db.transaction().execute(async (tx) => {
    await sql`lock table hosts, brands in access exclusive mode`.execute(tx);
    for (let n = 0; n < 20; n += 1) assert.equal(await statusAt(host), 401);
  });
  // A rebound name of somebody else stays refused.
  for (const name of [
    'evil.example',
    `${host}.evil.example`,
    `x.${host}`,
    `${host}@evil.example`,
    `${host}.`,
  ])
    assert.equal(await statusAt(name), 400, name);
  assert.equal((await api('DELETE', `/hosts/${host}`)).status, 200);
  assert.equal(await statusAt(host), 400);
  await eventually(async () => assert.equal(await statusAt(host, other.baseUrl), 400));
  assert.equal((await api('DELETE', `/hosts/${host}`)).status, 404);
});

test('normalizes names, and one team has a name', async () => {
  const [first, second] = [await newTeam(), await newTeam()];
  const cases = [
    ['Chat.Example.COM', 'chat.example.com'],
    ['chat.example.com:8443', 'chat.example.com'],
    ['chat.example.com.', 'chat.example.com'],
    ['b%C3%A4ckerei.example', 'xn--bckerei-5wa.example'],
    ['xn--bckerei-5wa.example', 'xn--bckerei-5wa.example'],
    ['bakery.localhost', 'bakery.localhost'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ];
  for (const [given, name] of cases) {
    const { status, body } = await api('PUT', `/hosts/${given}`, { body: { team_id: first.id } });
    assert.deepEqual([status, body.data?.name], [200, name], given);
    assert.deepEqual((await api('GET', `/hosts/${given}`)).body.data, body.data);
  }
  await api('PUT', '/hosts/chat.example.com', { body: { team_id: second.id } });
  assert.equal((await api('GET', '/hosts/CHAT.example.com')).body.data.team_id, second.id);
  const refused = [
    'localhost',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '%5B::1%5D',
    '%3A%3A1',
    '1.2.3.4:80',
  ];
  const malformed = [
    'a%20b',
    'a_b.example',
    '-a.example',
    'a..b',
    '*.example.com',
    'a%2Fb',
    'a%40b.example',
    '%00',
  ];
  const long = [`${'a'.repeat(64)}.example`, `${'a.'.repeat(126)}aa`, 'a'.repeat(300)];
  for (const name of [...refused, ...malformed, ...long]) {
    const { status, body } = await api('PUT', `/hosts/${name}`, { body: { team_id: first.id } });
    assert.equal(status, 400, name);
    assert.equal(body.details.issues[0].path, 'name', name);
    assert.equal((await api('GET', `/hosts/${name}`)).status, 404, name);
  }
  const unknown = await api('PUT', '/hosts/new.example', { body: { team_id: crypto.randomUUID() } });
  assert.deepEqual([unknown.status, unknown.body.details.issues[0].path], [400, 'team_id']);
});

test('only the partner registers hosts, and they end with the team', async () => {
  const { id } = await newTeam();
  const { token } = await issueKey({ teamId: id, role: 'owner' });
  const support = await issueKey({ role: 'support' });
  for (const caller of [token, support.token])
    assert.equal(
      (await api('PUT', '/hosts/own.example', { token: caller, body: { team_id: id } })).status,
      403,
    );
  await api('PUT', '/hosts/own.example', { body: { team_id: id } });
  assert.equal((await api('GET', '/hosts/own.example', { token })).status, 403);
  assert.equal((await api('DELETE', '/hosts/own.example', { token })).status, 403);
  assert.equal((await api('GET', '/hosts/own.example', { token: support.token })).status, 200);
  await api('DELETE', `/teams/${id}`);
  assert.equal((await api('GET', '/hosts/own.example')).status, 404);
});

test('a deployment has at most 10,000 hosts', async () => {
  const { id } = await newTeam();
  await sql`insert into hosts select 'h' || n || '.example', ${id} from generate_series(1, 10000) n`.execute(
    db,
  );
  const { status, body } = await api('PUT', '/hosts/more.example', { body: { team_id: id } });
  assert.deepEqual([status, body.details.reason], [400, 'too_many_hosts']);
  assert.equal((await api('PUT', '/hosts/h1.example', { body: { team_id: id } })).status, 200);
  await sql`delete from hosts`.execute(db);
});
