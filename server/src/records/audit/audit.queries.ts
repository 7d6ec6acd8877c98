import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { idBefore } from '../../platform/shared/ids.ts';
import { nameOfUser } from '../../tenancy/members/members.sql.ts';
import type { AuditEntry, ListAuditLog } from './audit.schemas.ts';

export type AuditRow = Omit<AuditEntry, 'at' | 'user_id'> & { at: Date };

export function selectAuditLog(db: Database, scope: Scope, query: ListAuditLog): Promise<ListPage<AuditRow>> {
  const { team_id: teamId, key_id: keyId, user_id: userId, object_id: objectId, operation } = query;
  const conditions: RawBuilder<unknown>[] = [
    inScope(scope, 'a.team_id'),
    ...(teamId === undefined ? [] : [sql`a.team_id = ${teamId}::uuid`]),
    ...(keyId === undefined ? [] : [sql`a.key_id = ${keyId}`]),
    ...(userId === undefined ? [] : [sql`a.key_id = ${`user:${userId.toLowerCase()}`}`]),
    ...(objectId === undefined ? [] : [sql`a.object_id = ${objectId}`]),
    ...(operation === undefined ? [] : [sql`a.operation = ${operation}`]),
    ...isWithin('a.at', query),
    ...isIdWithin(query),
  ];
  return selectPage(
    db,
    {
      columns: sql`a.id, a.at, a.key_id, ${userName} as user_name, a.request_id, a.address, a.operation, a.object_type, a.object_id, a.team_id,
                   a.before, a.after`,
      from: sql`audit_log a where ${sql.join(conditions, sql` and `)}`,
      order: sql`a.id desc`,
    },
    pageRange(query),
  );
}

/** Who opened the portal in which somebody made a change. A portal has the id of its link. */
const callerId = sql`
  case when a.key_id like 'portal:%' then (
    select l.key_id from audit_log l
    where l.object_type = 'portal_link' and l.object_id = substr(a.key_id, 8) order by l.id limit 1) else a.key_id end`;

/** The key id of a person is `user:` and the id of the user. The name of a person who is gone comes from the rows about the user. */
const userName = sql`
  (select coalesce(
     (select u.name from (${nameOfUser(sql`substr(caller.id, 6)`)}) u),
     (select coalesce(d.after, d.before) ->> 'name' from audit_log d
      where d.object_type = 'user' and d.object_id = substr(caller.id, 6) and coalesce(d.after, d.before) ? 'name'
      order by d.id desc limit 1))
   from (select ${callerId} as id) caller where caller.id like 'user:%')`;

/** Ids begin with the time at which the row was written, almost the same as `at`. */
const slackMs = 60_000;

/** Leads to the rows of a time without an index on it, which each send would have to update. */
const isIdWithin = ({ since, until }: { since?: string; until?: string }): RawBuilder<unknown>[] => [
  ...(since === undefined ? [] : [sql`a.id > ${idBefore(new Date(Date.parse(since) - slackMs))}::uuid`]),
  ...(until === undefined ? [] : [sql`a.id < ${idBefore(new Date(Date.parse(until) + slackMs))}::uuid`]),
];

export interface ChainLink {
  position: number;
  hash: Buffer;
}

/** A row as the chain covers it. */
export interface ChainedText {
  id: string;
  text: string;
}

const chainedText = sql`(to_jsonb(a) - 'position' - 'hash')::text`;

/** Returns the last link, and locks the chain until the transaction ends. Null for an empty chain. */
export async function lockChainEnd(tx: Transaction): Promise<ChainLink | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('parley audit chain', 0))`.execute(tx);
  const { rows } = await sql<ChainLink>`
    select position, hash from audit_log where position is not null order by position desc limit 1`.execute(
    tx,
  );
  return rows[0] ?? null;
}

export async function selectUnchained(tx: Transaction, limit: number): Promise<ChainedText[]> {
  const { rows } = await sql<ChainedText>`
    select a.id, ${chainedText} as text from audit_log a where a.position is null order by a.seq limit ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function storeLinks(
  tx: Transaction,
  links: readonly (ChainLink & { id: string })[],
): Promise<void> {
  await sql`
    select chain_audit_rows(${links.map(({ id }) => id)}::uuid[], ${links.map(({ position }) => position)}::bigint[],
                            ${links.map(({ hash }) => hash)}::bytea[])`.execute(tx);
}

/** Returns the link at a position, or undefined if the chain ends before it. */
export async function selectLink(db: Database, position: number): Promise<ChainLink | undefined> {
  const { rows } = await sql<ChainLink>`
    select position, hash from audit_log where position = ${position}`.execute(db);
  return rows[0];
}

export async function selectChain(
  db: Database,
  afterPosition: number,
  limit: number,
): Promise<(ChainLink & ChainedText)[]> {
  const { rows } = await sql<ChainLink & ChainedText>`
    select a.id, a.position, a.hash, ${chainedText} as text from audit_log a
    where a.position > ${afterPosition} order by a.position limit ${limit}`.execute(db);
  return rows;
}
