import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { timeouts2s } from '../../platform/database/lock-timeout.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { joinTeam, teamLockedShared } from '../../tenancy/teams/teams.sql.ts';
import type { DocumentType } from './document-type.ts';

/** The row of an upload in progress, invisible until the upload completes. */
export interface UploadingDocument {
  id: string;
  teamId: string;
  name: string;
  type: DocumentType;
  size: number;
  chars: number;
  chargedCharacters: number;
}

export interface StoredLocation {
  ref: string;
  fileKey: string;
}

/**
 * Locks the team against deletion. Returns false if it is outside the scope.
 * Watched by count_documents and record_document_event.
 */
export async function insertUploading(
  tx: Transaction,
  scope: Scope,
  document: UploadingDocument,
): Promise<boolean> {
  const { id, teamId, name, type, size, chars, chargedCharacters } = document;
  const { rows } = await sql`
    insert into documents (id, team_id, state, name, type, size, chars, charged_characters)
    select ${id}::uuid, id, 'uploading', ${name}, ${type}, ${size}::int, ${chars}::int, ${chargedCharacters}::int
    from ${teamLockedShared(scope, teamId)}
    returning id`.execute(tx);
  return rows.length === 1;
}

/** Call it as soon as the location is known, for cleanup after a crash. Returns false if the upload was deleted. */
export async function writeStoredLocation(
  db: Database,
  id: string,
  { ref, fileKey }: StoredLocation,
): Promise<boolean> {
  const { rows } = await sql`
    update documents set ai_provider_id = ${ref}, file_key = ${fileKey}
    where id = ${id} and state = 'uploading' returning id`.execute(db);
  return rows.length === 1;
}

/** Watched by count_documents and record_document_event. */
export async function makeLive(
  tx: Transaction,
  id: string,
  providerStatus: 'processing' | 'ready' | 'failed',
): Promise<boolean> {
  const { rows } = await sql`
    update documents set state = 'live', provider_status = ${providerStatus}
    where id = ${id} and state = 'uploading' and file_key is not null returning id`.execute(tx);
  return rows.length === 1;
}

export async function isLive(tx: Transaction, id: string): Promise<boolean> {
  const { rows } = await sql`select from documents where id = ${id} and state = 'live'`.execute(tx);
  return rows.length === 1;
}

export interface RemovedUpload {
  chargedCharacters: number;
  ref: string | null;
  fileKey: string | null;
}

/** Locks the team first, like the deletion of a team. Watched by count_documents. */
export async function deleteUploading(tx: Transaction, id: string): Promise<RemovedUpload | undefined> {
  const { rows } = await sql<RemovedUpload>`
    delete from documents where id in (
      select d.id from documents d ${joinTeam('d.team_id')}
      where d.id = ${id} and d.state = 'uploading' for key share of t for update of d)
    returning charged_characters as "chargedCharacters", ai_provider_id as ref, file_key as "fileKey"`.execute(
    tx,
  );
  return rows[0];
}

const isStale = sql`d.state = 'uploading' and d.created_at < now() - interval '2 minutes'`;

export async function selectTeamsWithStaleUploads(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct d.team_id as id from documents d where ${isStale}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Also locks their team. Later statements of the transaction fail after 2 s of lock wait. */
export async function lockStaleUploads(
  tx: Transaction,
  teamId: string,
  limit: number,
): Promise<{ id: string; teamId: string }[]> {
  const { rows } = await sql<{ id: string; teamId: string }>`
    select d.id, d.team_id as "teamId" from ${timeouts2s}, documents d ${joinTeam('d.team_id')}
    where d.team_id = ${teamId} and ${isStale}
    order by d.created_at limit ${limit} for key share of t skip locked for update of d skip locked`.execute(
    tx,
  );
  return rows;
}
