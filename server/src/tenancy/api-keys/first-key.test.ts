import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { openTestContext, startTestContext } from '../../../test/harness.ts';
import { checkCredentials } from './credentials.ts';
import { ensureFirstKey } from './first-key.ts';

const here = await startTestContext();
const elsewhere = await openTestContext(here.databaseUrl);
const dataDir = await mkdtemp(join(tmpdir(), 'parley-first-key-'));
after(async () => {
  await elsewhere.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(() => here.db.deleteFrom('api_keys').execute());

const ensure = (given: { keyId: string; secret: string } | null, { db, encryption } = here) =>
  ensureFirstKey({ db, encryption, given, dataDir });

const keyIds = async () =>
  (await here.db.selectFrom('api_keys').select('key_id').execute()).map((r) => r.key_id);

test('creates the first key in a file that only its owner can read', async () => {
  const key = await ensure(null);
  assert.ok(key);
  assert.deepEqual(await keyIds(), [key.keyId]);
  assert.deepEqual((await checkCredentials(here, key.keyId, key.secret))?.scope, { kind: 'all' });
  assert.equal(key.file, join(dataDir, 'first-api-key.json'));
  assert.deepEqual(JSON.parse(await readFile(key.file, 'utf8')), {
    key_id: key.keyId,
    key_secret: key.secret,
  });
  assert.equal((await stat(key.file)).mode & 0o777, 0o600);
});

test('keeps the key file of another database in the same folder', async () => {
  const file = join(dataDir, 'first-api-key.json');
  await writeFile(file, 'the key of another database', { mode: 0o600 });
  const key = await ensure(null);
  assert.ok(key);
  assert.match(await readFile(file, 'utf8'), new RegExp(key.keyId));
  const aside = join(dataDir, `first-api-key.before-${key.keyId}.json`);
  assert.equal(await readFile(aside, 'utf8'), 'the key of another database');
  assert.equal((await stat(aside)).mode & 0o777, 0o600);
});

test('uses a configured key unchanged and writes no file', async () => {
  await rm(join(dataDir, 'first-api-key.json'), { force: true });
  const given = { keyId: 'my-own-key', secret: 'my_own_secret' };
  assert.equal(await ensure(given), null);
  assert.deepEqual((await checkCredentials(here, given.keyId, given.secret))?.scope, { kind: 'all' });
  await assert.rejects(stat(join(dataDir, 'first-api-key.json')), { code: 'ENOENT' });
});

test('creates no second key', async () => {
  const first = await ensure(null);
  assert.equal(await ensure(null), null);
  assert.equal(await ensure({ keyId: 'my-own-key', secret: 'my_own_secret' }), null);
  assert.deepEqual(await keyIds(), [first?.keyId]);
});

test('creates one key when several processes start at once', async () => {
  const made = await Promise.all([
    ensure(null),
    ensure(null, elsewhere),
    ensure(null),
    ensure(null, elsewhere),
  ]);
  const keys = made.filter((key) => key !== null);
  assert.equal(keys.length, 1);
  assert.deepEqual(await keyIds(), [keys[0]?.keyId]);
});
