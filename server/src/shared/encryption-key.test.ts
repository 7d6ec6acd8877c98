import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encryptionKeyFile, readOrCreateEncryptionKey } from './encryption-key.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-encryption-key-'));
after(() => rm(scratch, { recursive: true, force: true }));

test('returns one key to concurrent programs, in a file that only their user can read', async () => {
  const dataDir = join(scratch, 'new', 'data');
  const keys = await Promise.all(Array.from({ length: 8 }, () => readOrCreateEncryptionKey(dataDir)));
  const [key] = keys;
  assert.equal(key?.length, 32);
  for (const other of [...keys, await readOrCreateEncryptionKey(dataDir)]) assert.deepEqual(other, key);
  assert.deepEqual(await readdir(dataDir), ['encryption-key']);
  const file = encryptionKeyFile(dataDir);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await readFile(file, 'utf8')).trim(), Buffer.from(key ?? []).toString('base64'));
});

test('rejects a file that holds no key, and leaves it unchanged', async () => {
  const dataDir = await mkdtemp(join(scratch, 'data-'));
  for (const damaged of ['', 'c2hvcnQ=\n']) {
    await writeFile(encryptionKeyFile(dataDir), damaged);
    await assert.rejects(readOrCreateEncryptionKey(dataDir), { name: 'EncryptionKeyDamaged' });
    assert.equal(await readFile(encryptionKeyFile(dataDir), 'utf8'), damaged);
  }
});
