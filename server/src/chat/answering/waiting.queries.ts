import { sql } from 'kysely';
import { devicesOfBot } from '../../devices/devices.sql.ts';
import { isPublished, liveBot } from '../../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';
import { isPaused, isUnanswered } from '../conversations/conversations.sql.ts';

export interface WaitingBot {
  teamId: string;
  banned: boolean;
  isPublished: boolean;
}

export async function selectWaitingBot(
  db: Database | Transaction,
  scope: Scope,
  botId: string,
): Promise<WaitingBot | undefined> {
  const { rows } = await sql<WaitingBot>`
    select b.team_id as "teamId", t.banned,
           ${isPublished('b.id')} as "isPublished"
    from ${liveBot(scope, botId)} ${joinTeam('b.team_id')}`.execute(db);
  return rows[0];
}

const waits = (botId: string) => sql`
  c.device_id in (${devicesOfBot(botId)}) and ${isUnanswered('c.flag')} and c.answer_due_at is null and not ${isPaused('c')}`;

/** Conversations that wait for a cause to end, and those whose answer is due or in progress. */
export async function countWaiting(
  db: Database | Transaction,
  { teamId, botId }: { teamId: string; botId: string },
): Promise<{ waiting: number; due: number }> {
  const { rows } = await sql<{ waiting: number; due: number }>`
    select count(*) filter (where ${waits(botId)})::int as waiting,
           count(*) filter (where c.answer_due_at is not null)::int as due
    from conversations c
    where c.team_id = ${teamId} and c.device_id in (${devicesOfBot(botId)})
      and (c.flag is not null or c.answer_due_at is not null)`.execute(db);
  return rows[0] ?? { waiting: 0, due: 0 };
}

/** Returns conversations that wait, by id after `after`. */
export async function selectWaiting(
  db: Database,
  { teamId, botId, after, limit }: { teamId: string; botId: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.team_id = ${teamId} and c.id > ${after}::uuid and ${waits(botId)}
    order by c.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
