import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openTestContext, startTestContext } from '../../../../test/harness.ts';
import { createApiKey } from '../../../tenancy/api-keys/api-keys.ts';
import { connectDatabase } from '../../database/database.ts';
import { deleteOldRates } from './rate-limit.queries.ts';
import { createRequestRate, type RateLimitStatus, type RequestRate } from './request-rate.ts';

const limitPerMinute = 300;
const blockSize = 3;

const context = await startTestContext();
let now = 0;
const elapsed = () => now;
const newKey = () =>
  context.db.transaction().execute(async (tx) => {
    const key = await createApiKey(tx, context.encryption, {
      name: 'k',
      teamId: null,
      role: null,
      expiresAt: null,
    });
    assert.ok(key);
    return key.keyId;
  });
const newRate = () => createRequestRate({ db: context.db, limitPerMinute, elapsed });
/** Advances time for the processes and the database. */
const pass = async (seconds: number) => {
  now += seconds * 1000;
  await sql`update request_rates set drawn_at = array(
    select at - make_interval(secs => ${seconds}) from unnest(drawn_at) at)`.execute(context.db);
};

test('allows exactly the limit if one process receives all requests', async () => {
  assert.equal(await allowed([newRate()], await newKey(), 400), limitPerMinute);
});

test('allows 0.95 to 1.2 times the limit over several processes', async () => {
  const other = await openTestContext(context.databaseUrl);
  try {
    const keyId = await newKey();
    const rates = [newRate(), newRate(), createRequestRate({ db: other.db, limitPerMinute, elapsed })];
    for (const rate of rates) await rate.take(keyId);
    await pass(59);
    const within = (await allowed(rates, keyId, 600)) + rates.length;
    assert.ok(within <= limitPerMinute * 1.2, `${within}`);
    assert.ok(within >= limitPerMinute * 0.95, `${within}`);
    assert.equal(await allowed(rates, await newKey(), 600), limitPerMinute);
  } finally {
    await other.close();
  }
});

test('leaves most of the limit to one process when others hold blocks', async () => {
  const keyId = await newKey();
  await newRate().take(keyId);
  await newRate().take(keyId);
  assert.ok((await allowed([newRate()], keyId, 400)) >= limitPerMinute * 0.95);
});

test('queries the database once per block, and not at all while requests are rejected', async () => {
  const rate = newRate();
  const keyId = await newKey();
  assert.ok(rate.take(keyId) instanceof Promise);
  const standing = await rate.take(keyId);
  assert.deepEqual(standing, { allowed: true, remaining: limitPerMinute - 2, resetsIn: 60 });
  assert.ok(!(rate.take(keyId) instanceof Promise));
  assert.ok(rate.take(keyId) instanceof Promise, `a block has ${blockSize}`);
  await allowed([rate], keyId, limitPerMinute);
  const refused = rate.take(keyId);
  assert.ok(!(refused instanceof Promise));
  assert.deepEqual({ ...refused, resetsIn: 0 }, { allowed: false, remaining: 0, resetsIn: 0 });
});

test('frees a block one minute after it was drawn', async () => {
  const rate = newRate();
  const keyId = await newKey();
  assert.equal(await allowed([rate], keyId, 100), 100);
  await pass(40);
  assert.equal(await allowed([rate], keyId, 400), 200);
  const { resetsIn } = await rate.take(keyId);
  assert.ok(resetsIn > 15 && resetsIn <= 20, `${resetsIn}`);
  await pass(resetsIn);
  const freed = await allowed([rate], keyId, 400);
  assert.ok(freed >= 99 && freed <= 102, `${freed}`);
  await pass(60);
  assert.equal(await allowed([rate], keyId, 400), limitPerMinute);
});

test('does not use blocks drawn more than a minute ago', async () => {
  const rate = newRate();
  const keyId = await newKey();
  await rate.take(keyId);
  await pass(60);
  assert.ok(rate.take(keyId) instanceof Promise);
});

test('limits each key separately, and people too, and forgets a rate after an hour', async () => {
  const rate = newRate();
  const keyId = await newKey();
  await allowed([rate], keyId, 400);
  assert.equal((await rate.take(await newKey())).allowed, true);
  const person = `user:${crypto.randomUUID()}`;
  assert.equal((await allowed([rate], person, 400)) > 0, true);
  await sql`
    update request_rates set drawn_at = array[now() - interval '61 minutes'] where api_key_id = ${keyId}`.execute(
    context.db,
  );
  await deleteOldRates(context.db);
  const { rows } = await sql<{ api_key_id: string }>`select api_key_id from request_rates`.execute(
    context.db,
  );
  const left = rows.map((row) => row.api_key_id);
  assert.deepEqual([left.includes(keyId), left.includes(person)], [false, true]);
});

test('enforces a limit below 100 exactly', async () => {
  const rate = createRequestRate({ db: context.db, limitPerMinute: 7, elapsed });
  assert.equal(await allowed([rate], await newKey(), 20), 7);
});
test('returns 503 without the database', async () => {
  const warn = () => undefined;
  const away = connectDatabase({
    url: 'postgres://127.0.0.1:1/none',
    poolSize: 1,
    applicationName: 'test',
    logger: { warn },
  });
  const rate = createRequestRate({ db: away.db, limitPerMinute });
  await assert.rejects(async () => rate.take('pk_any'), {
    status: 503,
    details: { reason: 'database_away' },
  });
  await away.close();
});

/** Returns how many of `count` parallel requests per rate are allowed. */
async function allowed(rates: readonly RequestRate[], keyId: string, count: number): Promise<number> {
  const standings: (RateLimitStatus | Promise<RateLimitStatus>)[] = [];
  for (let i = 0; i < count; i++) for (const rate of rates) standings.push(rate.take(keyId));
  const all = await Promise.all(standings);
  return all.filter((standing) => standing.allowed).length;
}
