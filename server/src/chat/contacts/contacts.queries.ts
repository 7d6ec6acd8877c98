import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { hasTeam } from '../../tenancy/teams/teams.sql.ts';
import type { Contact, ListContacts, UpdateContact } from './contacts.schemas.ts';
import { hasName } from './contacts.sql.ts';

export interface ContactRow
  extends Pick<Contact, 'contact_number' | 'name' | 'network_name' | 'fields' | 'labels'> {
  id: string;
  team_id: string;
  note: string;
  blocked: boolean;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`
  k.id, k.team_id, k.contact_number, k.name, k.network_name, k.fields, k.labels, k.note, k.blocked, k.created_at, k.updated_at`;

export function selectContacts(
  db: Database,
  scope: Scope,
  query: ListContacts,
): Promise<ListPage<ContactRow>> {
  const { team_id: teamId, label, blocked, q } = query;
  const conditions = [
    hasTeam('k.team_id'),
    inScope(scope, 'k.team_id'),
    ...isWithin('k.created_at', query),
    ...(teamId === undefined ? [] : [sql`k.team_id = ${teamId}`]),
    ...(label === undefined ? [] : [sql`k.labels @> array[${label}::text]`]),
    ...(blocked === undefined ? [] : [sql`k.blocked = ${blocked}`]),
    ...(q === undefined ? [] : [isFound(q)]),
  ];
  const list = {
    columns,
    from: sql`contacts k where ${sql.join(conditions, sql` and `)}`,
    order: sql`k.created_at desc, k.id desc`,
    cursorColumns: { time: 'k.created_at', id: 'k.id' },
  };
  return selectPage(db, list, pageRange(query));
}

function isFound(q: string): RawBuilder<unknown> {
  const digits = q.replaceAll(/\D/g, '').replace(/^0+/, '');
  const isNumber = /^[\d\s()./+-]*$/.test(q) && digits.length >= 3;
  return isNumber ? sql`(k.contact_number like ${`%${digits}%`} or ${hasName('k', q)})` : hasName('k', q);
}

/** The contact under any of its forms. Of several teams, the one that changed it last. */
export async function selectContact(
  db: Database | Transaction,
  scope: Scope,
  forms: readonly string[],
): Promise<ContactRow | undefined> {
  const { rows } = await sql<ContactRow>`
    select ${columns} from contacts k
    where ${hasTeam('k.team_id')} and ${inScope(scope, 'k.team_id')} and k.contact_number = any(${forms}::text[])
    order by exists (
      select from conversations c where c.team_id = k.team_id and c.contact_number = k.contact_number) desc, k.updated_at desc, k.id
    limit 1`.execute(db);
  return rows[0];
}

/** Creates the contact if it is unknown. Returns undefined if it changed after `expected`. */
export async function upsertContact(
  tx: Transaction,
  teamId: string,
  number: string,
  { name, fields, labels, note, blocked, expected_updated_at: expected }: UpdateContact,
): Promise<ContactRow | undefined> {
  const given = (value: unknown, column: string, type: string) =>
    value === undefined ? sql.ref(`k.${column}`) : sql`${value}::${sql.raw(type)}`;
  const json = fields === undefined ? undefined : JSON.stringify(fields);
  const { rows } = await sql<ContactRow>`
    insert into contacts as k (team_id, contact_number, name, fields, labels, note, blocked)
    values (${teamId}, ${number}, ${name ?? null}, ${json ?? '{}'}::jsonb, ${labels ?? []}::text[], ${note ?? ''}, ${blocked ?? false})
    on conflict (team_id, contact_number) do update set
      name = ${given(name, 'name', 'text')}, fields = ${given(json, 'fields', 'jsonb')},
      labels = ${given(labels, 'labels', 'text[]')}, note = ${given(note, 'note', 'text')},
      blocked = ${given(blocked, 'blocked', 'boolean')}, updated_at = ${nextUpdate('k.updated_at')}
    ${expected === undefined ? sql`` : sql`where k.updated_at = ${expected}::timestamptz`}
    returning ${columns}`.execute(tx);
  return rows[0];
}
