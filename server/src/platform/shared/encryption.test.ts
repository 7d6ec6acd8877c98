import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createEncryption } from './encryption.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const plain = Buffer.from('the header of an action');

/** Seals as version 0.1.0 did. */
function sealWithoutKeyId(masterKey: Uint8Array, context: string): Buffer {
  const key = new Uint8Array(hkdfSync('sha256', masterKey, 'parley', 'seal', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), iv, cipher.getAuthTag(), body]);
}

test('opens a value only in its own row and unchanged', () => {
  const encryption = createEncryption(first);
  const sealed = encryption.seal(plain, 'row 1');
  assert.deepEqual(encryption.open(sealed, 'row 1'), plain);
  assert.throws(() => encryption.open(sealed, 'row 2'));
  for (const position of [0, 1, 8, 9, 21, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[position] = (changed[position] ?? 0) ^ 1;
    assert.throws(() => encryption.open(changed, 'row 1'), `byte ${position}`);
  }
});

test('seals with the first key and opens with every key of the keyring', () => {
  const [before, rotated, after] = [
    createEncryption(first),
    createEncryption(second, first),
    createEncryption(second),
  ];
  const old = before.seal(plain, 'row');
  const fresh = rotated.seal(plain, 'row');
  assert.deepEqual(rotated.open(old, 'row'), plain);
  assert.deepEqual(after.open(fresh, 'row'), plain);
  assert.ok(fresh.subarray(0, rotated.currentHeader.length).equals(rotated.currentHeader));
  assert.throws(() => after.open(old, 'row'), new RegExp(before.keyIds[0]), 'names the missing key');
});

test('opens values of version 0.1.0, which carry no key id, with any key', () => {
  const sealed = sealWithoutKeyId(first, 'row');
  assert.deepEqual(createEncryption(first).open(sealed, 'row'), plain);
  assert.deepEqual(createEncryption(second, first).open(sealed, 'row'), plain);
  assert.throws(() => createEncryption(second).open(sealed, 'row'));
  assert.throws(() => createEncryption(second, first).open(sealed, 'another row'));
});
