import assert from 'node:assert/strict';
import { type RawBuilder, sql } from 'kysely';
import { reconcileBotsJob } from '../../src/knowledge/bots/bots.jobs.ts';
import { documentJobs } from '../../src/knowledge/documents/documents.jobs.ts';
import { externalCleanupJobs } from '../../src/lifecycle/external-cleanup/external-cleanup.jobs.ts';
import type { TestContext } from '../harness.ts';

type CheckedSystem = Pick<TestContext, 'db' | 'provider' | 'fileStore' | 'clock' | 'logger'>;

/** Runs the cleanup jobs. Backdates unfinished operations first, so that the jobs treat them as abandoned. */
export async function settle(system: CheckedSystem): Promise<void> {
  const { db } = system;
  const { signal } = new AbortController();
  for (const table of ['bots', 'documents']) {
    await sql`
      update ${sql.table(table)} set created_at = created_at - interval '121 seconds'
      where state in ('creating', 'uploading')`.execute(db);
  }
  for (const job of [reconcileBotsJob({ db }), ...documentJobs(system)]) await job.run({}, signal);
  await sql`update tombstones set next_attempt_at = now()`.execute(db);
  const removal = externalCleanupJobs(system).find(({ name }) => name === 'remove-buried');
  await removal?.run({}, signal);
}

/** Asserts that quotas and months match the rows and no operation is unfinished. Call `settle` first. */
export async function assertCountsAreExact({ db }: Pick<CheckedSystem, 'db'>): Promise<void> {
  await assertNone(
    db,
    'team_usage differs from the rows',
    sql`select * from team_usage u
        where documents <> (select count(*) from documents where team_id = u.team_id)
           or characters <> (select coalesce(sum(charged_characters), 0) from documents where team_id = u.team_id)
           or bots <> (select count(*) from bots where team_id = u.team_id)
           or accounts <> (select count(*) from devices where team_id = u.team_id)`,
  );
  await assertNone(
    db,
    'monthly_usage differs from the charged messages',
    sql`select * from monthly_usage u
        where active_messages <> (select count(*) from messages m
          where m.team_id = u.team_id and m.charged_month = u.month and not m.refunded)`,
  );
  await assertNone(
    db,
    'bot_days differs from the answers',
    sql`select * from bot_days d
        where kind = 'all' and (questions, credits) <> (
          select count(*), coalesce(sum(a.credits), 0) from answers a
          where a.team_id = d.team_id and a.bot_id = d.bot_id and (a.trace -> 'count' ->> 'day')::date = d.day)`,
  );
  await assertNone(
    db,
    'operations are unfinished',
    sql`select id, state from bots where state = 'creating'
        union all select id, state from documents where state = 'uploading'`,
  );
}

/** Asserts that the provider and the file store hold exactly the objects that the rows name. Call `settle` first. */
export async function assertNothingIsOrphaned({ db, provider, fileStore }: CheckedSystem): Promise<void> {
  const { rows } = await sql<{ ref: string; where: 'provider' | 'files' }>`
    select unnest(array[ai_provider_id, vector_id]) as ref, 'provider' as where from bots
    union all select ai_provider_id, 'provider' from documents
    union all select file_key, 'files' from documents`.execute(db);
  const refsIn = (where: string) => rows.filter((row) => row.where === where).map(({ ref }) => ref);
  const owned: string[] = [];
  for await (const { ref } of provider.listOwned(new AbortController().signal)) owned.push(ref);
  const files: string[] = [];
  for await (const key of fileStore.list('')) files.push(key);
  assertSame(owned, refsIn('provider'), 'at the provider');
  assertSame(files, refsIn('files'), 'in the file store');
  await assertNone(
    db,
    'external cleanups are pending',
    sql`select * from tombstones where kind <> 'session'`,
  );
}

/** Compares by difference, because assert.deepEqual takes seconds for thousands of references. */
function assertSame(actual: readonly string[], expected: readonly string[], where: string): void {
  const [actualSet, expectedSet] = [new Set(actual), new Set(expected)];
  assert.equal(actualSet.size, actual.length, `no duplicates ${where}`);
  assert.deepEqual(
    {
      orphaned: actual.filter((ref) => !expectedSet.has(ref)),
      missing: expected.filter((ref) => !actualSet.has(ref)),
    },
    { orphaned: [], missing: [] },
    where,
  );
}

async function assertNone(
  db: CheckedSystem['db'],
  problem: string,
  query: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await query.execute(db);
  assert.deepEqual(rows, [], problem);
}
