import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  type ContactOf,
  deleteRowsOfTeam,
  type Expired,
  isOfContact,
} from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';

/** Whether each word is a part of one of the contact's names. The index `contacts_names` has this expression. */
export const hasName = (contacts: string, q: string): RawBuilder<SqlBool> => {
  const names = sql`lower(coalesce(${sql.ref(`${contacts}.name`)}, '') || ' ' || coalesce(${sql.ref(`${contacts}.network_name`)}, ''))`;
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 8);
  if (words.length === 0) return sql<SqlBool>`false`;
  return sql<SqlBool>`(${sql.join(
    words.map((word) => sql`${names} like ${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`}`),
    sql` and `,
  )})`;
};

/** The contact of a conversation as JSON: `name` and `blocked`. */
export const contactOfConversation = (conversations: string) => sql`(
  select jsonb_build_object('name', coalesce(k.name, k.network_name), 'blocked', k.blocked, 'labels', k.labels)
  from contacts k where k.team_id = ${sql.ref(`${conversations}.team_id`)}
    and k.contact_number = ${sql.ref(`${conversations}.contact_number`)})`;

/** Joins a chat with `team_id` and `contact_number` to `k`, its contact. */
export const joinContact = (chat: string) => sql`
  join contacts k on k.team_id = ${sql.ref(`${chat}.team_id`)} and k.contact_number = ${sql.ref(`${chat}.contact_number`)}`;

export const deleteContactRowsOfTeam = deleteRowsOfTeam('contacts');

/** Deletes contacts without a conversation. */
export async function deleteExpiredContactRows(db: Database, expired: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from contacts where id = any(array(
      select k.id from contacts k
      where k.team_id = ${expired.teamId} and k.updated_at < ${expired.before} and not exists (
        select from conversations c where c.team_id = k.team_id and c.contact_number = k.contact_number)
      limit ${expired.limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

export async function deleteContactRows(tx: Transaction, contact: ContactOf): Promise<void> {
  await sql`delete from contacts where ${isOfContact(contact)}`.execute(tx);
}

export interface ExportedContactRow {
  team_id: string;
  contact_number: string;
  name: string | null;
  network_name: string | null;
  fields: Record<string, string>;
  labels: string[];
  note: string;
  blocked: boolean;
}

export async function selectContactRows(tx: Transaction, contact: ContactOf): Promise<ExportedContactRow[]> {
  const { rows } = await sql<ExportedContactRow>`
    select team_id, contact_number, name, network_name, fields, labels, note, blocked from contacts
    where ${isOfContact(contact)} order by team_id, contact_number`.execute(tx);
  return rows;
}

/** `into` turned out to be `from`, too: it gets what the team knew about both. Call it after the conversation has moved. */
export async function mergeContact(
  tx: Transaction,
  teamId: string,
  from: string,
  into: string,
): Promise<void> {
  await sql`
    insert into contacts as k (team_id, contact_number, name, network_name, fields, labels, note, blocked, created_at)
    select team_id, ${into}, name, network_name, fields, labels, note, blocked, created_at from contacts
    where team_id = ${teamId} and contact_number = ${from}
    on conflict (team_id, contact_number) do update set
      name = coalesce(k.name, excluded.name), network_name = coalesce(excluded.network_name, k.network_name),
      fields = excluded.fields || k.fields, blocked = k.blocked or excluded.blocked,
      labels = array(select distinct label from unnest(k.labels || excluded.labels) as label order by label),
      note = case when k.note = '' or k.note = excluded.note then excluded.note
                  when excluded.note = '' then k.note else k.note || E'\n' || excluded.note end,
      created_at = least(k.created_at, excluded.created_at), updated_at = now()`.execute(tx);
  await sql`
    delete from contacts k where team_id = ${teamId} and contact_number = ${from} and not exists (
      select from conversations c where c.team_id = k.team_id and c.contact_number = k.contact_number)`.execute(
    tx,
  );
}
