import { sql } from 'kysely';
import type { OwnedObject } from '../adapters/assistant-provider/assistant-provider.ts';
import type { Database } from '../database/database.ts';
import type { StoredFile } from '../documents/file-keys.ts';
import type { ExternalObject } from './external-cleanup.ts';

/** The objects of the provider that no bot, document or tombstone knows. */
export async function selectOrphanObjects(
  db: Database,
  objects: readonly OwnedObject[],
): Promise<ExternalObject[]> {
  const listed = objects.map(({ kind, ref, tag }) => ({
    kind,
    ref,
    team_id: tag.teamId,
    object_id: tag.objectId,
  }));
  const { rows } = await sql<ExternalObject>`
    select listed.team_id as "teamId", listed.kind, listed.ref
    from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb)
           as listed (kind text, ref text, team_id uuid, object_id uuid)
    where not exists (
        select from documents where id = listed.object_id and listed.kind = 'document'
          and (state = 'uploading' or ai_provider_id = listed.ref))
      and not exists (
        select from bots where id = listed.object_id and listed.kind in ('assistant', 'knowledge')
          and (state = 'creating' or listed.ref in (ai_provider_id, vector_id)))
      and not exists (select from tombstones where tombstones.ref = listed.ref and tombstones.kind = listed.kind)`.execute(
    db,
  );
  return rows;
}

/** The files that no document or tombstone knows. A document's row is there before its file and names it. */
export async function selectOrphanFiles(
  db: Database,
  files: readonly StoredFile[],
): Promise<ExternalObject[]> {
  const { rows } = await sql<ExternalObject>`
    select listed."teamId", 'file' as kind, listed.key as ref
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb)
           as listed (key text, "teamId" uuid, "documentId" uuid)
    where not exists (select from documents where file_key = listed.key)
      and not exists (select from documents where id = listed."documentId" and state = 'uploading')
      and not exists (select from tombstones where tombstones.ref = listed.key and tombstones.kind = 'file')`.execute(
    db,
  );
  return rows;
}
