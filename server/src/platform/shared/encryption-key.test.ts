import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encryptionKeyFile, parseEncryptionKeys, readOrCreateEncryptionKeys } from './encryption-key.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-encryption-key-'));
after(() => rm(scratch, { recursive: true, force: true }));

test('returns one key to concurrent programs, in a file that only their user can read', async () => {
  const dataDir = join(scratch, 'new', 'data');
  const keys = await Promise.all(Array.from({ length: 8 }, () => readOrCreateEncryptionKeys(dataDir)));
  const [[key] = []] = keys;
  assert.equal(key?.length, 32);
  for (const other of [...keys, await readOrCreateEncryptionKeys(dataDir)]) assert.deepEqual(other, [key]);
  assert.deepEqual(await readdir(dataDir), ['encryption-key']);
  const file = encryptionKeyFile(dataDir);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await readFile(file, 'utf8')).trim(), Buffer.from(key ?? []).toString('base64'));
});

test('rejects a file that holds no key, and leaves it unchanged', async () => {
  const dataDir = await mkdtemp(join(scratch, 'data-'));
  for (const damaged of ['', 'c2hvcnQ=\n']) {
    await writeFile(encryptionKeyFile(dataDir), damaged);
    await assert.rejects(readOrCreateEncryptionKeys(dataDir), { name: 'EncryptionKeyDamaged' });
    assert.equal(await readFile(encryptionKeyFile(dataDir), 'utf8'), damaged);
  }
});

test('returns the keys of a file with several lines, the current one first', async () => {
  const dataDir = await mkdtemp(join(scratch, 'data-'));
  const [current, older] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
  await writeFile(encryptionKeyFile(dataDir), `${current.toString('base64')}\n\n${older.toString('hex')}\n`);
  assert.deepEqual(await readOrCreateEncryptionKeys(dataDir), [current, older]);
  await writeFile(encryptionKeyFile(dataDir), `${older.toString('base64')}\n${older.toString('hex')}\n`);
  await assert.rejects(readOrCreateEncryptionKeys(dataDir), { name: 'EncryptionKeyDamaged' });
});

test('parses 1 to 10 different keys of 32 bytes', () => {
  const keys = Array.from({ length: 11 }, (_, n) => Buffer.alloc(32, n).toString('base64'));
  assert.equal(parseEncryptionKeys(keys.slice(1)).length, 10);
  assert.throws(() => parseEncryptionKeys(keys), /at most 10 keys/);
  assert.throws(() => parseEncryptionKeys([]), /must be 32 bytes/);
  assert.throws(() => parseEncryptionKeys(['c2hvcnQ=']), /must be 32 bytes/);
  assert.throws(() => parseEncryptionKeys([keys[0] ?? '', keys[0] ?? '']), /the same key twice/);
});
