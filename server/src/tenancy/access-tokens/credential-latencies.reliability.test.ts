import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { percentile } from '../../../../bench/rig/percentile.ts';
import { startTestContext } from '../../../test/harness.ts';
import { composeApi } from '../../process/compose/api.ts';
import { createApiKey } from '../api-keys/api-keys.ts';

const context = await startTestContext();
const { app, close } = await composeApi(context, context, { resources: [] });
after(() => close());
const { db, encryption } = context;

async function newKey(): Promise<{ keyId: string; secret: string }> {
  const key = await db
    .transaction()
    .execute((tx) =>
      createApiKey(tx, encryption, { name: 'Key', teamId: null, role: null, expiresAt: null }),
    );
  assert.ok(key);
  return key;
}

const [wrong, inactive, expired, gone] = [await newKey(), await newKey(), await newKey(), await newKey()];
const change = (keyId: string, to: { is_active?: boolean; expires_at?: Date }) =>
  db.updateTable('api_keys').set(to).where('key_id', '=', keyId).execute();
await change(inactive.keyId, { is_active: false });
await change(expired.keyId, { expires_at: new Date(0) });
await db.deleteFrom('api_keys').where('key_id', '=', gone.keyId).execute();

/** Equal lengths, so that only validity differs. */
const credentials = {
  unknown: gone,
  wrong: { ...wrong, secret: gone.secret },
  inactive,
  expired,
};
type Kind = keyof typeof credentials;
const kinds = Object.keys(credentials) as Kind[]; // it has no other members

let exchanges = 0;

/** Milliseconds of one failed exchange, from a new address each time to avoid the lockout. */
async function timeOf({ keyId, secret }: { keyId: string; secret: string }): Promise<number> {
  exchanges += 1;
  const remoteAddress = `10.${(exchanges >> 16) & 255}.${(exchanges >> 8) & 255}.${exchanges & 255}`;
  const began = performance.now();
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/api/openapi/auth/token',
    remoteAddress,
    payload: { key_id: keyId, key_secret: secret },
  });
  const took = performance.now() - began;
  assert.equal(statusCode, 401);
  return took;
}

/** Measures every kind in every round and varies the order, so that machine load affects all kinds equally. */
async function sample(rounds: number): Promise<Record<Kind, number[]>> {
  const times: Record<Kind, number[]> = { unknown: [], wrong: [], inactive: [], expired: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds.toSorted(() => Math.random() - 0.5)) {
      times[kind].push(await timeOf(credentials[kind]));
    }
  }
  return times;
}

/**
 * Returns how often a sample of `a` is slower than one of `b`: 0.5 for equal distributions. The standard deviation for
 * 400 samples each is 0.02.
 */
function shareOfLonger(a: readonly number[], b: readonly number[]): number {
  let longer = 0;
  for (const x of a) for (const y of b) longer += x > y ? 1 : x === y ? 0.5 : 0;
  return longer / (a.length * b.length);
}

/** Returns by how much the median of `a` exceeds that of `b`. The test ignores differences under 10%. */
const excess = (a: readonly number[], b: readonly number[]): number =>
  percentile(a, 0.5) / percentile(b, 0.5) - 1;

test('takes the same time for every kind of invalid credentials', async () => {
  await sample(100);
  let slower = kinds.flatMap((a) => kinds.map((b) => ({ a, b, percent: 0 })));
  // Chance alone does not produce the same result four times in a row.
  for (let attempt = 1; attempt <= 4 && slower.length > 0; attempt += 1) {
    const times = await sample(400);
    slower = slower
      .filter(({ a, b }) => shareOfLonger(times[a], times[b]) > 0.56 && excess(times[a], times[b]) > 0.1)
      .map(({ a, b }) => ({ a, b, percent: Math.round(excess(times[a], times[b]) * 100) }));
  }
  assert.deepEqual(
    slower.map(({ a, b, percent }) => `${a} takes ${percent}% longer than ${b}`),
    [],
  );
});
