import { type RawBuilder, sql } from 'kysely';
import { deviceHasWindow, deviceName, devicesOfBot, joinDevice } from '../../devices/devices.sql.ts';
import { isLeaseValid, joinPool } from '../../devices/leases.sql.ts';
import { templatesForText } from '../../devices/templates.sql.ts';
import { isPublished } from '../../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { presentMembers, userOf } from '../../tenancy/members/members.sql.ts';
import {
  hasTeam,
  joinTeam,
  lockSelectedTeamShared,
  numberSetting,
  teamName,
} from '../../tenancy/teams/teams.sql.ts';
import { hasRating } from '../answering/ratings.sql.ts';
import { contactOfConversation, hasName, joinContact } from '../contacts/contacts.sql.ts';
import { chatsWithWords, countUnread, lastMessage, newestOutcome } from '../messages/inbox.sql.ts';
import { windowEnd } from '../messages/messages.sql.ts';
import type { Conversation, ListConversations } from './conversations.schemas.ts';
import { contactAddresses, isPaused, isUnanswered, mergedContacts } from './conversations.sql.ts';

export interface ConversationRow
  extends Pick<Conversation, 'id' | 'team_id' | 'device_id' | 'contact_number' | 'state'> {
  paused_until: Date | null;
  flag: NonNullable<Conversation['flag']> | null;
  flag_reason: string | null;
  addresses: string[];
  merged_contacts: { contact_number: string; merged_at: string }[];
  /** Null on networks that always take messages. */
  window_open_until: Date | null;
  last_message_at: Date;
  last_message: NonNullable<Conversation['last_message']> | null;
  unread: number;
  team_name: string;
  device_name: string | null;
  about_contact: { name: string | null; blocked: boolean; labels: string[] } | null;
  assignee: NonNullable<Conversation['assignee']> | null;
  labels: string[];
  created_at: Date;
}

const paused = isPaused('c');

const isClosed = sql`coalesce(c.closed_at >= c.last_message_at, false)`;
const isUnread = sql`(c.read_at is null or c.read_at < c.last_message_at)`;

const columns = sql`
  c.id, c.team_id, c.device_id, c.contact_number, c.flag, c.flag_reason, c.last_message_at, c.created_at,
  ${contactAddresses('c')} as addresses, ${mergedContacts('c')} as merged_contacts,
  ${teamName('c.team_id')} as team_name, ${deviceName('c.device_id')} as device_name, ${lastMessage('c')} as last_message,
  ${contactOfConversation('c')} as about_contact, c.labels, ${userOf(sql`c.assignee_id`)} as assignee,
  case when ${isUnread} then ${countUnread('c', sql`c.read_at`)} else 0 end as unread,
  case when ${isClosed} then 'closed' when ${paused} then 'paused' else 'bot' end as state,
  case when ${paused} then c.paused_until end as paused_until,
  case when ${deviceHasWindow('c.device_id')} then ${windowEnd('c.device_id', 'c.contact_number')} end as window_open_until`;

const states = {
  bot: sql`not ${paused} and not ${isClosed}`,
  paused,
  closed: isClosed,
};

const within = (scope: Scope): RawBuilder<unknown> =>
  sql`${hasTeam('c.team_id')} and ${inScope(scope, 'c.team_id')}`;

export function selectConversations(
  db: Database,
  scope: Scope,
  query: ListConversations,
): Promise<ListPage<ConversationRow>> {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const inState = query.state === undefined ? sql`true` : states[query.state];
  const from = sql`
    conversations c where ${sql.join([within(scope), ...isWithin('c.created_at', query)], sql` and `)} and ${equal('c.team_id', query.team_id)} and ${equal('c.device_id', query.device_id)}
    and ${inState} and ${hasNumberPrefix(query.contact_number)}
    and ${sql.join(inboxFilters(scope, query), sql` and `)}`;
  const cursorColumns = { time: `c.${query.sort ?? 'created_at'}`, id: 'c.id' };
  const order = sql`${sql.ref(cursorColumns.time)} desc, c.id desc`;
  return selectPage(db, { columns, from, order, cursorColumns }, pageRange(query));
}

const hasNumberPrefix = (prefix: string | undefined) =>
  prefix === undefined ? sql`true` : sql`c.contact_number like ${`+${prefix.replace('+', '')}%`}`;

function inboxFilters(
  scope: Scope,
  { team_id: teamId, bot_id: botId, flag, outcome, rating, unread, label, assignee, q }: ListConversations,
): RawBuilder<unknown>[] {
  const searched: Scope = teamId === undefined || scope.kind === 'team' ? scope : { kind: 'team', teamId };
  return [
    sql`true`,
    ...(botId === undefined ? [] : [sql`c.device_id in (${devicesOfBot(botId)})`]),
    ...(flag === undefined ? [] : [hasFlag(flag)]),
    ...(rating === undefined ? [] : [hasRating('c', rating)]),
    ...(outcome === undefined ? [] : [sql`${newestOutcome('c')} = ${outcome}`]),
    ...(unread === undefined ? [] : [unread ? isUnread : sql`not ${isUnread}`]),
    ...(label === undefined ? [] : [sql`c.labels @> array[${label}::text]`]),
    ...(assignee === undefined ? [] : [isAssigned(assignee)]),
    ...(q === undefined ? [] : [sql`c.id in (${conversationsAbout(searched, q)})`]),
  ];
}

function hasFlag(flag: NonNullable<ListConversations['flag']>): RawBuilder<unknown> {
  if (flag === 'any') return sql`c.flag is not null`;
  if (flag === 'unanswered') return isUnanswered('c.flag');
  return sql`c.flag = ${flag}`;
}

const isAssigned = (assignee: string) =>
  assignee === 'none' ? sql`c.assignee_id is null` : sql`c.assignee_id = ${assignee}::uuid`;

/** Finds numbers by a part of at least 3 digits, contacts by their names, and messages by the beginnings of words. */
function conversationsAbout(scope: Scope, q: string): RawBuilder<unknown> {
  const words = q.match(/[\p{L}\p{M}\p{N}]+/gu)?.slice(0, maxWords) ?? [];
  const isNumber = /^[\d\s()./+-]*$/.test(q);
  const digits = q.replace('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, '');
  const found = [
    ...(isNumber && digits.length >= 3
      ? [
          sql`select n.id from conversations n where n.contact_number like ${`%${digits}%`} and ${inScope(scope, 'n.team_id')}`,
        ]
      : []),
    ...(words.length === 0
      ? []
      : [
          sql`select n.id from contacts k join conversations n using (team_id, contact_number)
              where ${hasName('k', q)} and ${inScope(scope, 'k.team_id')}`,
          sql`select n.id from (${chatsWithWords(
            scope,
            words.map((word) => word.toLowerCase()),
          )}) found
              join conversations n using (device_id, contact_number)`,
        ]),
  ];
  return found.length === 0 ? sql`select null::uuid` : sql.join(found, sql` union `);
}

const maxWords = 8;

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
  /** Whether its bot was ever published. */
  published: boolean;
  paused: boolean;
  blocked: boolean;
  connected: boolean;
  /** The network takes only templates. */
  window_closed: boolean;
  templates: { name: string; language: string }[];
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
    select c.device_id, c.team_id, c.contact_number, t.banned, ${paused} as paused, ${isPublished('d.bot_id')} as published,
           coalesce(d.status = 'started' and d.connected and ${isLeaseValid('p')}, false) as connected,
           ${deviceHasWindow('c.device_id')} and coalesce(${windowEnd('c.device_id', 'c.contact_number')} <= now(), true) as window_closed,
           ${templatesForText('c.device_id')} as templates,
           ${numberSetting('human_takeover_minutes')} as takeover_minutes, coalesce(k.blocked, false) as blocked
    from conversations c left ${joinContact('c')} ${joinTeam('c.team_id')} left ${joinDevice('c.device_id')} left ${joinPool}
    where c.id = ${id} and ${within(scope)} for update of c`.execute(tx);
  return rows[0];
}

/**
 * Pauses the bot for `minutes`, or until it is resumed if null. Never shortens a pause. A message of a person ends the flag.
 * Watched by record_conversation_event.
 */
export async function updatePaused(
  tx: Transaction,
  id: string,
  { minutes, hasNewMessage }: { minutes: number | null; hasNewMessage: boolean },
): Promise<ConversationRow> {
  const until = minutes === null ? sql`null` : sql`now() + make_interval(mins => ${minutes}::int)`;
  const { rows } = await sql<ConversationRow>`
    update conversations c set state = 'paused', answer_due_at = null, closed_at = null,
      paused_until = case when ${paused} and c.paused_until is null then null
                          when ${minutes}::int is null then null
                          when ${paused} then greatest(c.paused_until, ${until}) else ${until} end,
      last_message_at = case when ${hasNewMessage} then now() else c.last_message_at end,
      read_at = case when ${hasNewMessage} then now() else c.last_message_at end,
      flag = case when not ${hasNewMessage} then flag end,
      flag_reason = case when not ${hasNewMessage} then flag_reason end
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

/** The bot answers the next message. Watched by record_conversation_event. */
export async function updateClosed(tx: Transaction, id: string): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set closed_at = last_message_at, read_at = last_message_at, state = 'bot', paused_until = null,
                               answer_due_at = null, flag = null, flag_reason = null
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

/** Makes the conversation due. A worker that is answering loses its claim. Watched by record_conversation_event. */
export async function updateDue(tx: Transaction, id: string): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set answer_due_at = now(), claimed_until = null, claim_fence = claim_fence + 1, attempts = 0,
                               closed_at = null, flag = case when flag = 'payment_captured' then flag end, flag_reason = null
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

/** Null: nobody. */
export async function updateAssignee(
  tx: Transaction,
  id: string,
  userId: string | null,
): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set assignee_id = ${userId}::uuid, assigned_at = case when ${userId}::uuid is not null then now() end
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

export async function updateLabels(
  tx: Transaction,
  id: string,
  labels: readonly string[],
): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set labels = ${[...labels]}::text[] where c.id = ${id} returning ${columns}`.execute(
    tx,
  );
  return updated(rows);
}

/** The present member of the team who was given a conversation longest ago. */
export async function selectNextAssignee(tx: Transaction, teamId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select present.id from (${presentMembers(teamId)}) present
    order by (select max(c.assigned_at) from conversations c where c.assignee_id = present.id) nulls first, present.id
    limit 1`.execute(tx);
  return rows[0]?.id;
}

export async function updateRead(tx: Transaction, id: string): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set read_at = last_message_at where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

/** Watched by record_conversation_event. */
export async function updateResumed(tx: Transaction, id: string): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    update conversations c set state = 'bot', paused_until = null, closed_at = null,
                               flag = case when flag <> 'human_requested' then flag end
    where c.id = ${id} returning ${columns}`.execute(tx);
  return updated(rows);
}

function updated(rows: readonly ConversationRow[]): ConversationRow {
  const [row] = rows;
  if (row === undefined) throw new Error('the locked conversation is missing');
  return row;
}
