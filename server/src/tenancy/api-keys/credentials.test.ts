import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestContext } from '../../../test/harness.ts';
import { createApiKey } from './api-keys.ts';
import { checkCredentials } from './credentials.ts';

const { db, encryption, clock } = await startTestContext();

/** Checks credentials and returns how many secrets were hashed. */
async function hashesFor(keyId: string, secret: string): Promise<number> {
  let hashes = 0;
  const counting = {
    keyedHashes(...given: Parameters<typeof encryption.keyedHashes>) {
      hashes += 1;
      return encryption.keyedHashes(...given);
    },
  };
  await checkCredentials({ db, encryption: counting, clock }, keyId, secret);
  return hashes;
}

test('runs the same steps for an unknown key as for a wrong secret', async () => {
  const key = await db
    .transaction()
    .execute((tx) =>
      createApiKey(tx, encryption, { name: 'Key', teamId: null, role: null, expiresAt: null }),
    );
  assert.ok(key);
  assert.deepEqual(
    [
      await hashesFor(key.keyId, key.secret),
      await hashesFor(key.keyId, 'sk_wrong'),
      await hashesFor('pk_00000000000000000000', key.secret),
    ],
    [1, 1, 1],
  );
});
