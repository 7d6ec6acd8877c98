import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestContext } from '../../../test/harness.ts';
import type { Database } from '../../platform/database/database.ts';
import { createApiKey } from './api-keys.ts';
import { createKeyUses } from './key-uses.ts';

const { db, encryption, logger } = await startTestContext();

async function newKey(): Promise<string> {
  const key = await db
    .transaction()
    .execute((tx) => createApiKey(tx, encryption, { name: 'k', teamId: null, role: null, expiresAt: null }));
  assert.ok(key);
  return key.keyId;
}

const lastUsed = async (keyId: string) =>
  (await db.selectFrom('api_keys').select('last_used').where('key_id', '=', keyId).executeTakeFirstOrThrow())
    .last_used;

const at = (time: string) => new Date(`2026-11-21T${time}Z`);

test('writes the first use at once, and later uses after the interval or at the end', async () => {
  const keyId = await newKey();
  let now = at('12:00:00');
  const uses = createKeyUses({ db, logger, clock: { now: () => now }, intervalMs: 600_000, firstAfterMs: 0 });
  for (let i = 0; i < 100; i++) uses.note(keyId);
  await eventually(async () => assert.deepEqual(await lastUsed(keyId), now));
  now = at('12:00:45');
  uses.note(keyId);
  await uses.close();
  assert.deepEqual(await lastUsed(keyId), now);
});

test('writes one statement per interval for any number of uses', async () => {
  const keys = await Promise.all([newKey(), newKey(), newKey()]);
  let statements = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const uses = createKeyUses({ db: counted, logger, clock: { now: () => at('12:00:00') }, firstAfterMs: 0 });
  for (let i = 0; i < 1000; i++) for (const key of keys) uses.note(key);
  await eventually(async () => assert.ok(await lastUsed(keys[2] ?? '')));
  for (let i = 0; i < 1000; i++) for (const key of keys) uses.note(key);
  assert.equal(statements, 1);
  await uses.close();
  assert.equal(statements, 2);
});

test('does not overwrite a newer use with an older one from another process', async () => {
  const keyId = await newKey();
  for (const now of [at('12:00:30'), at('12:00:10')]) {
    const uses = createKeyUses({ db, logger, clock: { now: () => now } });
    uses.note(keyId);
    await uses.close();
  }
  assert.deepEqual(await lastUsed(keyId), at('12:00:30'));
});

test('retries failed writes with the next write', async () => {
  const keyId = await newKey();
  let away = true;
  const sometimes = db.withPlugin({
    transformQuery: ({ node }) => {
      if (away) throw new Error('the database is away');
      return node;
    },
    transformResult: async ({ result }) => result,
  }) satisfies Database;
  let warned = 0;
  const uses = createKeyUses({
    db: sometimes,
    logger: {
      warn: () => {
        warned += 1;
      },
    },
    clock: { now: () => at('12:00:00') },
    firstAfterMs: 0,
  });
  uses.note(keyId);
  await eventually(async () => assert.equal(warned, 1));
  away = false;
  await uses.close();
  assert.deepEqual(await lastUsed(keyId), at('12:00:00'));
});

test('skips a locked key until the next write and writes the other keys', async () => {
  const [held, free] = [await newKey(), await newKey()];
  const uses = createKeyUses({ db, logger, clock: { now: () => at('12:00:00') }, firstAfterMs: 0 });
  await db.transaction().execute(async (tx) => {
    await sql`select from api_keys where key_id = ${held} for update`.execute(tx);
    for (const keyId of [held, free]) uses.note(keyId);
    await eventually(async () => assert.deepEqual(await lastUsed(free), at('12:00:00')));
    assert.equal(await lastUsed(held), null);
  });
  await uses.close();
  assert.deepEqual(await lastUsed(held), at('12:00:00'));
});
