import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import type { Scope } from '../http/actor.ts';
import { effectiveQuota } from '../teams/teams.sql.ts';
import { type BotOwner, type BotRow, lockDocumentsOfBots, type ProviderRefs } from './bots.queries.ts';
import type { DraftColumns } from './draft.queries.ts';

/** Whether the scope sees the team, which then stays until the transaction has ended. */
export async function lockTeam(tx: Transaction, scope: Scope, teamId: string): Promise<boolean> {
  if (scope.kind === 'team' && scope.teamId !== teamId) return false;
  const row = await tx
    .selectFrom('teams')
    .select('id')
    .where('id', '=', teamId)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** An intent: nobody sees the bot before its assistant exists. */
export async function insertBotIntent(
  tx: Transaction,
  { teamId, botId }: BotOwner,
  { questions, ...columns }: DraftColumns,
): Promise<void> {
  await tx
    .insertInto('bots')
    .values({
      ...columns,
      id: botId,
      team_id: teamId,
      state: 'creating',
      questions: JSON.stringify(questions),
    })
    .execute();
}

/** Null when the place was taken; else how many there are and may be. */
export async function chargeBot(
  tx: Transaction,
  teamId: string,
): Promise<{ used: number; limit: number } | null> {
  const charged = await sql`
    update team_usage u set bots = u.bots + 1
    from teams t join plans p on p.name = t.plan_name
    where u.team_id = ${teamId} and t.id = u.team_id and u.bots < ${effectiveQuota('bots')}
    returning u.team_id`.execute(tx);
  if (charged.rows.length === 1) return null;
  const { rows } = await sql<{ used: number; limit: number }>`
    select u.bots as used, ${effectiveQuota('bots')} as limit
    from team_usage u join teams t on t.id = u.team_id join plans p on p.name = t.plan_name
    where u.team_id = ${teamId}`.execute(tx);
  return rows[0] ?? { used: 0, limit: 0 };
}

/** Undefined when the intent is there no longer. */
export function completeBot(tx: Transaction, botId: string, refs: ProviderRefs): Promise<BotRow | undefined> {
  return tx
    .updateTable('bots')
    .set({ state: 'live', ai_provider_id: refs.assistant, vector_id: refs.knowledge })
    .where('id', '=', botId)
    .where('state', '=', 'creating')
    .returningAll()
    .$narrowType<BotRow>()
    .executeTakeFirst();
}

/** Whether the bot was completed; waits for a commit that may still do it. */
export async function lockCompletedBot(tx: Transaction, botId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('bots')
    .innerJoin('teams', 'teams.id', 'bots.team_id')
    .select('bots.state')
    .where('bots.id', '=', botId)
    .forKeyShare('teams')
    .forUpdate('bots')
    .executeTakeFirst();
  return row?.state === 'live';
}

/** Removes intents left behind by a process that died and gives their places back. Answers whose they were. */
export async function deleteStaleIntents(
  tx: Transaction,
  options: { olderThanSeconds: number; limit: number },
): Promise<BotOwner[]> {
  const { rows } = await sql<BotOwner>`
    select b.id as "botId", b.team_id as "teamId" from teams t join bots b on b.team_id = t.id
    where b.state = 'creating' and b.created_at < now() - make_interval(secs => ${options.olderThanSeconds})
    order by b.created_at limit ${options.limit} for key share of t skip locked for update of b skip locked`.execute(
    tx,
  );
  const ids = rows.map(({ botId }) => botId);
  await lockDocumentsOfBots(tx, ids);
  await sql`
    select from team_usage where team_id = any(${rows.map(({ teamId }) => teamId)}::uuid[])
    order by team_id for no key update`.execute(tx);
  await sql`
    with gone as (delete from bots where id = any(${ids}::uuid[]) returning team_id),
      counted as (select team_id, count(*)::int as bots from gone group by team_id)
    update team_usage set bots = team_usage.bots - counted.bots from counted
    where team_usage.team_id = counted.team_id`.execute(tx);
  return rows;
}
