import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';

export const joinDocument = (column: string) => sql`join documents d on d.id = ${sql.ref(column)}`;

export const existsDocument = sql<SqlBool>`exists (select from documents)`;

/** Locks live documents of the team against deletion and returns their ids. */
export async function lockDocumentsShared(
  tx: Transaction,
  teamId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('documents')
    .select('id')
    .where('id', 'in', ids)
    .where('team_id', '=', teamId)
    .where('state', '=', 'live')
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function lockSelectedDocumentsShared(tx: Transaction, ids: RawBuilder<unknown>): Promise<void> {
  await sql`
    select from documents where id in (${ids})
    order by id for key share`.execute(tx);
}

export const documentsLockedShared = (teamId: string, ids: readonly string[]) => sql`
  select id, team_id from documents where id = any(${ids}::uuid[]) and team_id = ${teamId}
  order by id for key share`;

export const externalObjectsOfDocuments = (teamId: string) => sql`
  select 'document' as kind, ai_provider_id as ref from documents
  where team_id = ${teamId} and ai_provider_id is not null
  union all
  select 'document', next_provider_id from documents where team_id = ${teamId} and next_provider_id is not null
  union all
  select 'file', file_key from documents where team_id = ${teamId} and file_key is not null
  union all
  select 'tagged', id::text from documents where team_id = ${teamId} and state = 'uploading'
  union all
  select 'staged', id::text from documents where team_id = ${teamId} and state = 'uploading'`;

/** True if a document refers to the provider's object in a row of `listed`, or its upload may still do so. */
export const refersToListedObject = sql<SqlBool>`exists (
  select from documents where id = listed.object_id and listed.kind = 'document'
    and (state = 'uploading' or ai_provider_id = listed.ref))`;

/** A document's row exists before its file and names it. */
export const refersToListedFile = sql<SqlBool>`(
  exists (select from documents where file_key = listed.key)
  or exists (select from documents where id = listed."documentId" and state = 'uploading'))`;

export async function hasUploads(db: Database, teamId: string): Promise<boolean> {
  const { rows } = await sql`
    select from documents where team_id = ${teamId} and state = 'uploading' limit 1`.execute(db);
  return rows.length === 1;
}

export interface DocumentFile {
  id: string;
  key: string;
  /** In bytes. */
  size: number;
}

/** Returns the files of live documents, of all teams by default. */
export async function selectDocumentFiles(
  db: Database | Transaction,
  scope: Scope = { kind: 'all' },
): Promise<DocumentFile[]> {
  const { rows } = await sql<DocumentFile>`
    select id, file_key as key, size from documents
    where state = 'live' and ${inScope(scope, 'team_id')}`.execute(db);
  return rows;
}

/** What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. */
export const failedDocuments = (scope: Scope) => sql`
  select 'document' as kind, id::text as id, team_id, name, null as reason, updated_at as since
  from documents where state = 'live' and provider_status = 'failed' and ${inScope(scope, 'team_id')}`;
