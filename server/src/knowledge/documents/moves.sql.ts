import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { DocumentType } from './document-type.ts';

export interface MovingDocument {
  id: string;
  name: string;
  type: DocumentType;
  fileKey: string;
  status: 'processing' | 'ready' | 'failed';
  ref: string;
  /** Its copy at the other place. */
  nextRef: string | null;
}

export async function selectMovingDocuments(db: Database, teamId: string): Promise<MovingDocument[]> {
  const { rows } = await sql<MovingDocument>`
    select id, name, type, file_key as "fileKey", provider_status as status, ai_provider_id as ref,
      next_provider_id as "nextRef"
    from documents where team_id = ${teamId} and state = 'live' order by id`.execute(db);
  return rows;
}

export async function storeNextRef(db: Database, id: string, ref: string): Promise<void> {
  await sql`update documents set next_provider_id = ${ref} where id = ${id}`.execute(db);
}

export async function dropNextRefs(tx: Transaction): Promise<void> {
  await sql`update documents set next_provider_id = null where next_provider_id is not null`.execute(tx);
}

/**
 * Replaces the refs of the team's documents by those of their copies. Returns false if a document is new. The team must be
 * locked.
 * Watched by record_document_event.
 */
export async function switchDocuments(
  tx: Transaction,
  teamId: string,
  copies: readonly { id: string; status: 'ready' | 'failed' }[],
): Promise<boolean> {
  await sql`
    update documents d set ai_provider_id = d.next_provider_id, next_provider_id = null,
      file_key = d.team_id || '/' || d.next_provider_id || '.' || d.type, provider_status = copy.status
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as copy (id uuid, status text)
    where d.id = copy.id and d.team_id = ${teamId} and d.next_provider_id is not null`.execute(tx);
  const { rows } = await sql`
    select from documents where team_id = ${teamId} and (state = 'uploading' or id <> all(${copies.map(({ id }) => id)}::uuid[]))
    limit 1`.execute(tx);
  return rows.length === 0;
}
