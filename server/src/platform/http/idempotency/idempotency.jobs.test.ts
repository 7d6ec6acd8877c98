import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../../../test/harness.ts';
import { idempotencyJobs } from './idempotency.jobs.ts';

const { db } = await startTestContext();

test('deletes results older than a day in batches and keeps newer and unfinished ones', async () => {
  const insert = (keys: string, age: string, claimedUntil: string) =>
    sql`
    insert into idempotency_keys (api_key_id, method, path, key, fingerprint, claim, claimed_until, status, created_at)
    select 'pk', 'POST', '/documents', ${keys} || n, '', gen_random_uuid(), ${claimedUntil}::timestamptz, 200,
           now() - ${age}::interval
    from generate_series(1, ${keys === 'old' ? 6000 : 1}::int) as n`.execute(db);
  await insert('old', '24 hours 1 minute', '-infinity');
  await insert('young', '23 hours 59 minutes', '-infinity');
  await insert('busy', '24 hours 1 minute', 'infinity');
  const [job] = idempotencyJobs({ db });
  await job?.run({}, new AbortController().signal);
  const left = await db.selectFrom('idempotency_keys').select('key').orderBy('key').execute();
  assert.deepEqual(left, [{ key: 'busy1' }, { key: 'young1' }]);
});
