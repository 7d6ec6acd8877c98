import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { joinUnanswered } from '../messages/messages.sql.ts';

/** A pause with an end expires without a write. False where an outer join found no conversation. */
export const isPaused = (conversations: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${conversations}.${name}`);
  return sql<SqlBool>`coalesce(${column('state')} = 'paused' and coalesce(${column('paused_until')} > now(), true), false)`;
};

export const oldestUnanswered = sql`
  select extract(epoch from now() - min(m.created_at))::float8
  from (select device_id, contact_number from conversations where answer_due_at <= now()
        order by answer_due_at limit 20) c
  ${joinUnanswered('c')}`;

export async function deleteConversationsOfTeam(
  db: Database,
  teamId: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from conversations where ctid = any(array(
      select ctid from conversations where team_id = ${teamId} limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}
