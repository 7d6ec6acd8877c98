import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { timeouts2s } from '../../platform/database/lock-timeout.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';
import { refundBots } from '../../tenancy/usage/usage.sql.ts';
import {
  type BotOwner,
  type BotRow,
  botColumns,
  lockDocumentsOfBots,
  type ProviderRefs,
} from './bots.queries.ts';
import type { DraftColumns } from './draft.queries.ts';

/** The bot stays invisible until its assistant exists. */
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

/** Watched by record_bot_event. */
export function completeBot(tx: Transaction, botId: string, refs: ProviderRefs): Promise<BotRow | undefined> {
  return tx
    .updateTable('bots')
    .set({ state: 'live', ai_provider_id: refs.assistant, vector_id: refs.knowledge })
    .where('id', '=', botId)
    .where('state', '=', 'creating')
    .returning(botColumns)
    .$narrowType<BotRow>()
    .executeTakeFirst();
}

/** Returns true if the bot is live. Waits for a transaction that may be completing it. */
export async function lockCompletedBot(tx: Transaction, botId: string): Promise<boolean> {
  const { rows } = await sql<{ state: string }>`
    select b.state from bots b ${joinTeam('b.team_id')}
    where b.id = ${botId} for key share of t for update of b`.execute(tx);
  return rows[0]?.state === 'live';
}

const isStale = (olderThanSeconds: number) => sql`
  b.state = 'creating' and b.created_at < now() - make_interval(secs => ${olderThanSeconds})`;

export async function selectTeamsWithStaleIntents(db: Database, olderThanSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct b.team_id as id from bots b where ${isStale(olderThanSeconds)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Refunds the quota and returns the owners. Fails after 2 s of lock wait. */
export async function deleteStaleIntents(
  tx: Transaction,
  options: { teamId: string; olderThanSeconds: number; limit: number },
): Promise<BotOwner[]> {
  const { rows } = await sql<BotOwner>`
    select b.id as "botId", b.team_id as "teamId" from ${timeouts2s}, bots b ${joinTeam('b.team_id')}
    where b.team_id = ${options.teamId} and ${isStale(options.olderThanSeconds)}
    order by b.created_at limit ${options.limit} for key share of t skip locked for update of b skip locked`.execute(
    tx,
  );
  const ids = rows.map(({ botId }) => botId);
  await lockDocumentsOfBots(tx, ids);
  await sql`
    with deleted as (delete from bots where id = any(${ids}::uuid[]) returning team_id),
      gone as (select team_id, count(*)::int as bots from deleted group by team_id)
    ${refundBots}`.execute(tx);
  return rows;
}
