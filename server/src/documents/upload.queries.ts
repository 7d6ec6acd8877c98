import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { inScope } from '../database/scopes.ts';
import type { Scope } from '../http/actor.ts';
import type { DocumentType } from './document-type.ts';

/** The row of an upload under way: invisible to everyone until it is completed. */
export interface UploadingDocument {
  id: string;
  teamId: string;
  name: string;
  type: DocumentType;
  size: number;
  chars: number;
  /** What the quota counts. */
  chargedCharacters: number;
}

/** What a document is outside the database. */
export interface StoredLocation {
  /** At the provider. */
  ref: string;
  /** In the file store. */
  fileKey: string;
}

/** False when the team is not there, or not the caller's. It then stays until the transaction has ended. */
export async function insertUploading(
  tx: Transaction,
  scope: Scope,
  document: UploadingDocument,
): Promise<boolean> {
  const { id, teamId, name, type, size, chars, chargedCharacters } = document;
  const { rows } = await sql`
    insert into documents (id, team_id, state, name, type, size, chars, charged_characters)
    select ${id}::uuid, teams.id, 'uploading', ${name}, ${type}, ${size}::int, ${chars}::int, ${chargedCharacters}::int
    from teams where teams.id = ${teamId} and ${inScope(scope, 'teams.id')} for key share
    returning id`.execute(tx);
  return rows.length === 1;
}

/** Written as soon as they are known, so that whoever cleans up after a crash knows them too. False when it was removed. */
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

/** False when the upload was removed meanwhile. */
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

/** Holds the team first, as whoever deletes it does, so that neither waits for the other. */
export async function deleteUploading(tx: Transaction, id: string): Promise<RemovedUpload | undefined> {
  const { rows } = await sql<RemovedUpload>`
    delete from documents where id in (
      select d.id from teams t join documents d on d.team_id = t.id
      where d.id = ${id} and d.state = 'uploading' for key share of t for update of d)
    returning charged_characters as "chargedCharacters", ai_provider_id as ref, file_key as "fileKey"`.execute(
    tx,
  );
  return rows[0];
}

export async function teamExists(db: Database | Transaction, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from teams where id = ${teamId}`.execute(db);
  return rows.length === 1;
}

/** Uploads that nobody can be working on any more; locked for the caller, with their teams. */
export async function lockStaleUploads(
  tx: Transaction,
  limit: number,
): Promise<{ id: string; teamId: string }[]> {
  const { rows } = await sql<{ id: string; teamId: string }>`
    select d.id, d.team_id as "teamId" from teams t join documents d on d.team_id = t.id
    where d.state = 'uploading' and d.created_at < now() - interval '2 minutes'
    order by d.created_at limit ${limit} for key share of t skip locked for update of d skip locked`.execute(
    tx,
  );
  return rows;
}
