import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import type { Database } from '../../platform/database/database.ts';
import { newId } from '../../platform/shared/ids.ts';
import { type ClaimRequest, claimDue } from '../conversations/claims.sql.ts';

const { db } = await startTestContext();

beforeEach(() => sql`truncate conversations cascade`.execute(db));

/** Inserts conversations that became due one millisecond after another. Failed attempts postponed the oldest ones. */
async function addDue(
  teamId: string,
  count: number,
  secondsAgo = 60,
  { postponed = 0 }: { postponed?: number } = {},
): Promise<string> {
  await sql`
    insert into conversations (id, team_id, device_id, contact_number, answer_due_at, claimed_until)
    select gen_random_uuid(), ${teamId}, gen_random_uuid(), '+1555' || n,
           now() - make_interval(secs => ${secondsAgo}) + n * interval '1 ms',
           case when n <= ${postponed} then now() + interval '10 minutes' end
    from generate_series(1, ${count}::int) n`.execute(db);
  return teamId;
}

const request = (members: Partial<ClaimRequest>): ClaimRequest => ({
  limit: 64,
  leaseSeconds: 15,
  ...members,
});

async function claimedByTeam(members: Partial<ClaimRequest>): Promise<Record<string, number>> {
  const { claims } = await claimDue(db, request(members));
  const teams = Map.groupBy(claims, ({ teamId }) => teamId);
  return Object.fromEntries([...teams].map(([id, { length }]) => [id, length]));
}

test('claims equal shares from the teams, however long one of them has waited', async () => {
  const crowd = await addDue(newId(), 100, 3600);
  const others = [await addDue(newId(), 3), await addDue(newId(), 3)];
  const shares = await claimedByTeam({ limit: 6 });
  assert.deepEqual(shares, { [crowd]: 2, [others[0] ?? '']: 2, [others[1] ?? '']: 2 });
});

test('claims the oldest conversations of a team first', async () => {
  const teamId = await addDue(newId(), 5, 10);
  await addDue(teamId, 5, 20);
  const { claims } = await claimDue(db, request({ limit: 5 }));
  const { rows } = await sql`
    select from conversations where id = any(${claims.map(({ conversationId }) => conversationId)}::uuid[])
      and answer_due_at < now() - interval '15 seconds'`.execute(db);
  assert.equal(rows.length, 5);
});

test('claims at most the limit of a team, less its running answers', async () => {
  const [busy, full, idle] = [await addDue(newId(), 9), await addDue(newId(), 9), await addDue(newId(), 9)];
  const running = new Map([
    [busy, 3],
    [full, 4],
  ]);
  assert.deepEqual(await claimedByTeam({ limitPerTeam: 4, running }), { [busy]: 1, [idle]: 4 });
});

test('serves the teams in turn when there are fewer slots than teams', async () => {
  const teams = await Promise.all(Array.from({ length: 5 }, () => addDue(newId(), 10)));
  const served: string[] = [];
  let afterTeamId: string | null = null;
  for (let turn = 0; turn < 10; turn += 1) {
    const { claims, lastTeamId } = await claimDue(db, request({ limit: 1, afterTeamId }));
    served.push(...claims.map(({ teamId }) => teamId));
    afterTeamId = lastTeamId;
  }
  assert.deepEqual(served, [...teams.toSorted(), ...teams.toSorted()]);
});

test('two processes that claim at the same time share the conversations of one team', async () => {
  const teamId = await addDue(newId(), 10);
  const { first, second } = await db.transaction().execute(async (tx) => ({
    first: await claimDue(tx, request({ limit: 4 })),
    second: await claimDue(db, request({ limit: 4 })),
  }));
  const ids = [...first.claims, ...second.claims].map(({ conversationId }) => conversationId);
  assert.equal(new Set(ids).size, 8);
  assert.deepEqual(await claimedByTeam({}), { [teamId]: 2 });
});

test('reports that more may be due only if a team got its whole share', async () => {
  await addDue(newId(), 3);
  assert.equal((await claimDue(db, request({ limitPerTeam: 4 }))).moreMayBeDue, false);
  await addDue(newId(), 9);
  assert.equal((await claimDue(db, request({ limitPerTeam: 4 }))).moreMayBeDue, true);
  assert.equal((await claimDue(db, request({}))).moreMayBeDue, false);
});

test('reports when the next answer falls due', async () => {
  assert.equal((await claimDue(db, request({}))).nextDueMs, null);
  await addDue(newId(), 1, -60);
  const { claims, nextDueMs } = await claimDue(db, request({}));
  assert.equal(claims.length, 0);
  assert.ok(Number(nextDueMs) > 0 && Number(nextDueMs) <= 60_001, `${nextDueMs} ms`);
});

test('visits a few rows when 100,000 conversations of one team wait', async () => {
  // Its own statistics would come at any time.
  await sql`alter table conversations set (autovacuum_enabled = false)`.execute(db);
  await addDue(newId(), 100_000, 3600, { postponed: 50_000 });
  for (let team = 0; team < 9; team += 1) await addDue(newId(), 3);
  for (const statistics of ['none', 'current']) {
    if (statistics === 'current') await sql`vacuum analyze conversations`.execute(db);
    const shares = await claimedByTeam({ limitPerTeam: 16 });
    assert.equal(Object.keys(shares).length, statistics === 'none' ? 10 : 1, statistics);
    const visited = await countVisitedRows((connection) =>
      claimDue(connection, request({ limitPerTeam: 16 })),
    );
    assert.ok(visited > 10 && visited < 1000, `${visited} rows with statistics: ${statistics}`);
  }
});

/** Counts rows that scans of conversations read, in the table or an index. `work` must use the given connection. */
const countVisitedRows = (work: (connection: Database) => Promise<unknown>): Promise<number> =>
  db.connection().execute(async (connection) => {
    const count = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(connection);
      const { rows } = await sql<{ n: number }>`
        select (t.seq_tup_read + sum(i.idx_tup_read))::int as n
        from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
        where t.relname = 'conversations' group by t.seq_tup_read`.execute(connection);
      return rows[0]?.n ?? 0;
    };
    const before = await count();
    await work(connection);
    return (await count()) - before;
  });
