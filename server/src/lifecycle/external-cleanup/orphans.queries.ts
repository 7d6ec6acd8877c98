import { sql } from 'kysely';
import { refersToListedFile as mediumRefersToFile } from '../../chat/messages/message-media.sql.ts';
import type { OwnedObject } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { refersToListedObject as botRefersToObject, isMoving } from '../../knowledge/bots/bots.sql.ts';
import {
  refersToListedFile as documentRefersToFile,
  refersToListedObject as documentRefersToObject,
} from '../../knowledge/documents/documents.sql.ts';
import type { StoredFile } from '../../knowledge/documents/file-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import {
  deletesListedFile,
  deletesListedObject,
  type ExternalObject,
} from '../../records/external-deletions/external-deletions.sql.ts';

/** Returns the provider's objects that no bot, document or scheduled deletion refers to. */
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
    where not ${documentRefersToObject} and not ${botRefersToObject} and not ${isMoving('listed.team_id')}
      and not ${deletesListedObject}`.execute(db);
  return rows;
}

/** Returns the files that no document, medium or scheduled deletion refers to. */
export async function selectOrphanFiles(
  db: Database,
  files: readonly StoredFile[],
): Promise<ExternalObject[]> {
  const { rows } = await sql<ExternalObject>`
    select listed."teamId", 'file' as kind, listed.key as ref
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb)
           as listed (key text, "teamId" uuid, "documentId" uuid)
    where not ${documentRefersToFile} and not ${mediumRefersToFile} and not ${isMoving('listed.teamId')}
      and not ${deletesListedFile}`.execute(db);
  return rows;
}
