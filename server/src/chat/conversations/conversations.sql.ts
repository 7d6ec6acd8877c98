import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  type ContactOf,
  deleteRowsOfTeam,
  type Expired,
  isOfContact,
} from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { hasMessages, joinUnanswered } from '../messages/messages.sql.ts';

/** A pause with an end expires without a write. False where an outer join found no conversation. */
export const isPaused = (conversations: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${conversations}.${name}`);
  return sql<SqlBool>`coalesce(${column('state')} = 'paused' and coalesce(${column('paused_until')} > now(), true), false)`;
};

/** The contact that an address or another form of its number belongs to, or null. Arguments are column names. */
export const contactOf = (deviceId: string, address: string) => sql`(
  select known.contact_number from contact_addresses known
  where known.device_id = ${sql.ref(deviceId)} and known.address = ${sql.ref(address)})`;

/** The addresses of a conversation's contact in the network, oldest first. */
export const contactAddresses = (conversations: string) => sql`array(
  select a.address from contact_addresses a
  where a.device_id = ${sql.ref(`${conversations}.device_id`)}
    and a.contact_number = ${sql.ref(`${conversations}.contact_number`)}
  order by a.created_at, a.address)`;

/** Contacts that turned out to be the conversation's contact, as a JSON array. */
export const mergedContacts = (conversations: string) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('contact_number', m.merged_contact, 'merged_at', m.merged_at) order by m.merged_at)
  from contact_merges m
  where m.device_id = ${sql.ref(`${conversations}.device_id`)}
    and m.contact_number = ${sql.ref(`${conversations}.contact_number`)}), '[]')`;

export const oldestUnanswered = sql`
  select extract(epoch from now() - min(m.created_at))::float8
  from (select device_id, contact_number from conversations where answer_due_at <= now()
        order by answer_due_at limit 20) c
  ${joinUnanswered('c')}`;

interface ChatFlag {
  deviceId: string;
  contactNumber: string;
  flag: string;
  flagReason: string | null;
}

/** Returns the flags of those chats whose messages wait for credits or for the AI provider. */
export async function selectWaitingFlags(
  db: Database | Transaction,
  chats: readonly { device_id: string; contact_number: string }[],
): Promise<ChatFlag[]> {
  const { rows } = await sql<ChatFlag>`
    select c.device_id as "deviceId", c.contact_number as "contactNumber", c.flag, c.flag_reason as "flagReason"
    from conversations c
    join unnest(${chats.map((chat) => chat.device_id)}::uuid[], ${chats.map((chat) => chat.contact_number)}::text[])
      as chat (device_id, contact_number) using (device_id, contact_number)
    where c.flag in ('out_of_credits', 'provider_failed')`.execute(db);
  return rows;
}

const deleteAddressesOfTeam = deleteRowsOfTeam('contact_addresses');
const deleteMergesOfTeam = deleteRowsOfTeam('contact_merges');

export const deleteContactsOfTeam = async (db: Database, teamId: string, limit: number): Promise<number> =>
  (await deleteAddressesOfTeam(db, teamId, limit)) + (await deleteMergesOfTeam(db, teamId, limit));

export const deleteConversationsOfTeam = deleteRowsOfTeam('conversations');

/** Conversations in which nothing was written since. */
export async function deleteExpiredConversations(db: Database, expired: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from conversations where id = any(array(
      select id from conversations
      where team_id = ${expired.teamId} and created_at < ${expired.before} and last_message_at < ${expired.before}
        and answer_due_at is null
      limit ${expired.limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes the addresses and merges of contacts without a conversation and without messages. */
export async function deleteExpiredContacts(db: Database, expired: Expired): Promise<number> {
  let deleted = 0n;
  for (const [table, time] of [
    ['contact_addresses', 'created_at'],
    ['contact_merges', 'merged_at'],
  ] as const) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select known.ctid from ${sql.table(table)} known
        where team_id = ${expired.teamId} and ${sql.ref(time)} < ${expired.before} and not ${hasMessages('known')}
          and not exists (
            select from conversations c
            where c.device_id = known.device_id and c.contact_number = known.contact_number)
        limit ${expired.limit} for update skip locked))`.execute(db);
    deleted += numAffectedRows;
  }
  return Number(deleted);
}

/**
 * Returns the stored forms of a contact: its numbers, its addresses in the network and the contacts that were merged into it.
 * `form` is any of them, except a number that was merged, because that number may belong to somebody else by now.
 */
export async function selectFormsOfContact(
  db: Database | Transaction,
  scope: Scope,
  form: string,
): Promise<string[]> {
  const within = inScope(scope, 'team_id');
  const { rows } = await sql<{ form: string }>`
    with contact as materialized (
      select ${form}::text as number
      union select contact_number from contact_addresses where address = ${form} and ${within}
      union select contact_number from contact_merges
            where merged_contact = ${form} and merged_contact not like '+%' and ${within}
    )
    select number as form from contact
    union select address from contact_addresses where contact_number in (select number from contact) and ${within}
    union select merged_contact from contact_merges
          where contact_number in (select number from contact) and ${within}`.execute(db);
  return rows.map((row) => row.form);
}

/** Call it before the messages are deleted: a worker that answers the contact then loses its claim. */
export async function deleteConversationsOfContact(tx: Transaction, contact: ContactOf): Promise<number> {
  for (const table of ['contact_addresses', 'contact_merges'])
    await sql`delete from ${sql.table(table)} where ${isOfContact(contact)}`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    delete from conversations where ${isOfContact(contact)}`.execute(tx);
  return Number(numAffectedRows);
}

export interface ExportedConversation {
  labels: string[];
  id: string;
  team_id: string;
  device_id: string;
  state: string;
  flag: string | null;
  last_message_at: Date;
  created_at: Date;
}

export async function selectConversationsOfContact(
  db: Database | Transaction,
  contact: ContactOf,
): Promise<ExportedConversation[]> {
  const { rows } = await sql<ExportedConversation>`
    select labels, id, team_id, device_id, state, flag, last_message_at, created_at from conversations
    where ${isOfContact(contact)} order by created_at desc, id desc`.execute(db);
  return rows;
}

/** Answers to the contacts carry the notice that a machine answers. */
export async function markNoticed(tx: Transaction, conversationIds: readonly string[]): Promise<void> {
  if (conversationIds.length === 0) return;
  await sql`update conversations set noticed_at = now() where id = any(${conversationIds}::uuid[])`.execute(
    tx,
  );
}

/** True for the flags of conversations in which messages wait for an answer that no person decided against. */
export const isUnanswered = (flag: string) =>
  sql<SqlBool>`${sql.ref(flag)} in ('bot_not_published', 'out_of_credits', 'provider_failed')`;

/** What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. */
export const flaggedConversations = (scope: Scope) => sql`
  select case when ${isUnanswered('flag')} then 'unanswered' else flag end as kind,
         id::text as id, team_id, contact_number as name, coalesce(flag_reason, flag) as reason,
         coalesce(flagged_at, last_message_at) as since
  from conversations where flag is not null and ${inScope(scope, 'team_id')}`;

/** The kinds of failures of AI providers that keep conversations waiting. */
export const providerFailures = (scope: Scope) => sql`
  select 'provider' as kind, flag_reason as id, ${scope.kind === 'all' ? null : scope.teamId}::uuid as team_id,
         flag_reason as name, flag_reason as reason,
         min(coalesce(flagged_at, last_message_at)) as since
  from conversations where flag = 'provider_failed' and flag_reason is not null and ${inScope(scope, 'team_id')}
  group by flag_reason`;
