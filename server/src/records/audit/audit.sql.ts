import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { idBefore } from '../../platform/shared/ids.ts';
import { knownKey } from '../../tenancy/api-keys/api-keys.sql.ts';

/** Writes the row of a change that no trigger reports. Does nothing outside a request. */
export async function recordAudit(
  tx: Transaction,
  {
    objectType,
    objectId,
    teamId,
    after,
  }: { objectType: string; objectId: string | null; teamId: string | null; after: object },
): Promise<void> {
  await sql`
    select write_audit_row(${objectType}::text, ${objectId}::text, ${teamId}::uuid, null, ${JSON.stringify(after)}::jsonb)
    where is_audited()`.execute(tx);
}

/** The rows of messages in `accepted`, which has `id`, `team_id`, `device_id`, `kind` and the request's context in `audit`. */
export const auditAcceptedMessages = (accepted: RawBuilder<unknown>) => sql`
  insert into audit_log (key_id, request_id, address, operation, object_type, object_id, team_id, after)
  select c ->> 'key_id', c ->> 'request_id', c ->> 'address', c ->> 'operation', 'message', id, team_id,
         jsonb_build_object('device_id', device_id, 'kind', kind) || coalesce(c -> 'hashed', '{}')
  from (select id, team_id, device_id, kind, audit::jsonb as c from ${accepted}) message where c is not null`;

/** Exchanges of an API key from one address. */
export interface SignInRow {
  keyId: string | null;
  /** Of the first one. */
  requestId: string | null;
  address: string | null;
  accepted: boolean;
  exchanges: number;
}

/** Unknown key ids are not stored: they may be secrets that somebody put into the wrong field. */
export async function insertSignIns(db: Database, rows: readonly SignInRow[]): Promise<void> {
  await sql`
    insert into audit_log (key_id, request_id, address, operation, object_type, object_id, team_id, after)
    select case when s.accepted then k.key_id end, s."requestId", s.address, 'createAccessToken', 'access_token', k.key_id,
           k.team_id, jsonb_build_object('accepted', s.accepted, 'exchanges', s.exchanges)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as s ("keyId" text, "requestId" text, address text, accepted boolean, exchanges int)
      left join lateral (${knownKey(sql`s."keyId"`)}) k on true`.execute(db);
}

/** Counts the rows of a team in a time that an operation left. */
export async function countAudited(
  db: Database,
  teamId: string,
  operation: string,
  { since, until }: { since: Date; until: Date },
): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    select count(*)::int as entries from audit_log
    where team_id = ${teamId} and operation = ${operation}
      and id >= ${idBefore(since)}::uuid and id < ${idBefore(until)}::uuid`.execute(db);
  return rows[0]?.entries ?? 0;
}
