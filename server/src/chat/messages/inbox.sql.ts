import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../../platform/database/scopes.ts';
import { isInChat } from './messages.sql.ts';

const excerptLength = 160;

/** The newest message of a chat as JSON, or null. */
export const lastMessage = (chat: string) => sql`(
  select jsonb_build_object('id', m.id, 'direction', m.direction, 'origin', m.origin, 'kind', m.kind,
                            'text', left(m.text, ${sql.lit(excerptLength)}), 'created_at', m.created_at)
  from messages m where ${isInChat(chat)} order by m.seq desc limit 1)`;

/** The most messages of a chat that are counted as unread. */
const maxUnread = 99;

/** Counts the newest messages of the contact that are younger than `readAt`, which may be null. */
export const countUnread = (chat: string, readAt: RawBuilder<unknown>) => sql<number>`(
  select count(*)::int from (
    select m.direction, m.created_at from messages m where ${isInChat(chat)} order by m.seq desc limit ${sql.lit(maxUnread)}
  ) newest where direction = 'in' and created_at > coalesce(${readAt}, '-infinity'))`;

/** The outcome of the contact's newest message, as `MessageRecord` has it. Needs the column `flag` of `chat`. */
export const newestOutcome = (chat: string) => sql`(
  select case when m.status = 'received' then
                case when ${sql.ref(`${chat}.flag`)} in ('out_of_credits', 'provider_failed') then ${sql.ref(`${chat}.flag`)}
                     else 'waiting' end
              when m.failure is not null then split_part(m.failure, ':', 1) when m.status = 'answered' then 'answered' end
  from messages m where ${isInChat(chat)} and m.direction = 'in' order by m.seq desc limit 1)`;

/**
 * Selects `device_id` and `contact_number` of the chats with a message that contains a word with each beginning. The index
 * `messages_words` has this expression: it also leads to the words of one team. The comparison of the team is one that the index of teams
 * does not serve, because reading that one, too, takes longer.
 */
export function chatsWithWords(scope: Scope, beginnings: readonly string[]): RawBuilder<unknown> {
  const words = beginnings.map((word) => `'${word}':*`);
  const team = scope.kind === 'all' ? [] : [`'${scope.teamId}'`];
  const isOfTeam = scope.kind === 'all' ? sql`true` : sql`team_id::text = ${scope.teamId}`;
  return sql`
    select distinct device_id, contact_number from messages
    where array_to_tsvector(array[team_id::text]) || to_tsvector('simple'::regconfig, translate(left(text, 4096), '-@/._:#+', '        '))
          @@ ${[...team, ...words].join(' & ')}::tsquery and ${isOfTeam}`;
}
