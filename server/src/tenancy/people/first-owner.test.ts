import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';
import { ensureSetUpLink } from './first-owner.ts';

const { api, context } = await startTestApp();
const dataDir = await mkdtemp(join(tmpdir(), 'parley-'));
after(() => rm(dataDir, { recursive: true }));

const file = join(dataDir, 'first-sign-in.txt');
const ensure = (baseUrl = 'http://127.0.0.1:3000') => ensureSetUpLink({ db: context.db, dataDir, baseUrl });
const tokenOf = (url = '') => url.split('#')[1] ?? '';

const setUp = (token: string, email = 'first@example.com') =>
  api('POST', '/api/openapi/session/setup', {
    token: null,
    headers: { 'sec-fetch-site': 'same-origin' },
    body: { token, name: 'First', email, password: 'a long enough password' },
  });

const means = async () => (await api('GET', '/api/openapi/session/means', { token: null })).body.data;

test('writes one link while no owner can sign in, which creates one owner once', async () => {
  const links = await Promise.all([ensure(), ensure(), ensure()]);
  assert.equal(new Set(links.map((link) => link?.url)).size, 1);
  const [link] = links;
  assert.match(link?.url ?? '', /^http:\/\/127\.0\.0\.1:3000\/console\/setup#[\w-]{43}$/);
  assert.equal(await readFile(file, 'utf8'), `${link?.url}\n`);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const moved = await ensure('https://parley.example/');
  assert.equal(moved?.url, `https://parley.example/console/setup#${tokenOf(link?.url)}`);
  assert.equal((await means()).set_up, true);
  // A member of the staff who never accepted an invitation is no active owner.
  const invited = { name: 'Ana', email: 'ana@example.com', role: 'owner' };
  assert.equal((await api('POST', '/users', { body: invited })).status, 200);
  assert.equal((await setUp('x'.repeat(43))).body.details.reason, 'link_used');
  await writeFile(file, 'http://127.0.0.1:3000/console/setup#of-another-database\n');
  const renewed = await ensure();
  assert.equal((await setUp(tokenOf(link?.url))).body.details.reason, 'link_used');
  const token = tokenOf(renewed?.url);
  const answers = await Promise.all([setUp(token), setUp(token, 'second@example.com')]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  const owner = answers.find(({ status }) => status === 200)?.body.data;
  assert.deepEqual([owner.role, owner.team, owner.user.name], ['owner', null, 'First']);
  assert.equal((await means()).set_up, false);
  assert.equal(await ensure(), null);
  await assert.rejects(readFile(file), { code: 'ENOENT' });
});
