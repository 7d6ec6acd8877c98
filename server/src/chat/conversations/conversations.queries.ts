import { type RawBuilder, sql } from 'kysely';
import { joinDevice } from '../../devices/devices.sql.ts';
import { isLeaseValid, joinPool } from '../../devices/leases.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { hasTeam, joinTeam, lockSelectedTeamShared, numberSetting } from '../../tenancy/teams/teams.sql.ts';
import type { Conversation, ListConversations } from './conversations.schemas.ts';
import { contactAddresses, isPaused, mergedContacts } from './conversations.sql.ts';

export interface ConversationRow
  extends Pick<Conversation, 'id' | 'team_id' | 'device_id' | 'contact_number' | 'state'> {
  paused_until: Date | null;
  flag: NonNullable<Conversation['flag']> | null;
  flag_reason: string | null;
  addresses: string[];
  merged_contacts: { contact_number: string; merged_at: string }[];
  last_message_at: Date;
  created_at: Date;
}

const paused = isPaused('c');

const columns = sql`
  c.id, c.team_id, c.device_id, c.contact_number, c.flag, c.flag_reason, c.last_message_at, c.created_at,
  ${contactAddresses('c')} as addresses, ${mergedContacts('c')} as merged_contacts,
  case when ${paused} then 'paused' else 'bot' end as state,
  case when ${paused} then c.paused_until end as paused_until`;

const within = (scope: Scope): RawBuilder<unknown> =>
  sql`${hasTeam('c.team_id')} and ${inScope(scope, 'c.team_id')}`;

export function selectConversations(
  db: Database,
  scope: Scope,
  query: ListConversations,
): Promise<ListPage<ConversationRow>> {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const inState =
    query.state === undefined ? sql`true` : query.state === 'paused' ? paused : sql`not ${paused}`;
  const from = sql`
    conversations c where ${sql.join([within(scope), ...isWithin('c.created_at', query)], sql` and `)} and ${equal('c.team_id', query.team_id)} and ${equal('c.device_id', query.device_id)}
    and ${inState} and ${hasNumberPrefix(query.contact_number)}`;
  const cursorColumns = { time: `c.${query.sort ?? 'created_at'}`, id: 'c.id' };
  const order = sql`${sql.ref(cursorColumns.time)} desc, c.id desc`;
  return selectPage(db, { columns, from, order, cursorColumns }, pageRange(query));
}

const hasNumberPrefix = (prefix: string | undefined) =>
  prefix === undefined ? sql`true` : sql`c.contact_number like ${`+${prefix.replace('+', '')}%`}`;

export async function selectConversation(
  db: Database,
  scope: Scope,
  id: string,
): Promise<ConversationRow | undefined> {
  const { rows } = await sql<ConversationRow>`
    select ${columns} from conversations c where c.id = ${id} and ${within(scope)}`.execute(db);
  return rows[0];
}

export interface LockedConversation {
  device_id: string;
  team_id: string;
  contact_number: string;
  banned: boolean;
  connected: boolean;
  takeover_minutes: number;
}

/** Locks first the team, then the conversation. Returns undefined if the conversation is outside the scope. */
export async function lockConversation(
  tx: Transaction,
  scope: Scope,
  id: string,
): Promise<LockedConversation | undefined> {
  await lockSelectedTeamShared(tx, sql`select team_id from conversations where id = ${id}`);
  const { rows } = await sql<LockedConversation>`
    select c.device_id, c.team_id, c.contact_number, t.banned,
           coalesce(d.status = 'started' and d.connected and ${isLeaseValid('p')}, false) as connected,
           ${numberSetting('human_takeover_minutes')} as takeover_minutes
    from conversations c ${joinTeam('c.team_id')} left ${joinDevice('c.device_id')} left ${joinPool}
    where c.id = ${id} and ${within(scope)} for update of c`.execute(tx);
  return rows[0];
}

/** Pauses the bot for `minutes`, or until it is resumed if null. Never shortens a pause. Watched by record_conversation_event. */
export async function updatePaused(
  tx: Transaction,
  id: string,
  { minutes, hasNewMessage }: { minutes: number | null; hasNewMessage: boolean },
): Promise<ConversationRow> {
  const until = minutes === null ? sql`null` : sql`now() + make_interval(mins => ${minutes}::int)`;
  const { rows } = await sql<ConversationRow>`
    update conversations c set state = 'paused', answer_due_at = null,
      paused_until = case when ${paused} and c.paused_until is null then null
                          when ${minutes}::int is null then null
                          when ${paused} then greatest(c.paused_until, ${until}) else ${until} end,
      last_message_at = case when ${hasNewMessage} then now() else c.last_message_at end
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

/** Watched by record_conversation_event. */
export async function updateResumed(tx: Transaction, id: string): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set state = 'bot', paused_until = null,
                               flag = case when flag <> 'human_requested' then flag end
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

function updated(rows: readonly ConversationRow[]): ConversationRow {
  const [row] = rows;
  if (row === undefined) throw new Error('the locked conversation is missing');
  return row;
}
