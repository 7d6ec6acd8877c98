import { sql } from 'kysely';
import type { OwnedObject } from '../adapters/assistant-provider/assistant-provider.ts';
import { refersToListedObject as botRefersToObject, isMoving } from '../bots/bots.sql.ts';
import type { Database } from '../database/database.ts';
import {
  refersToListedFile as documentRefersToFile,
  refersToListedObject as documentRefersToObject,
} from '../documents/documents.sql.ts';
import type { StoredFile } from '../documents/file-keys.ts';
import {
  deletesListedFile,
  deletesListedObject,
  type ExternalObject,
} from '../external-deletions/external-deletions.sql.ts';
import { refersToListedFile as mediumRefersToFile } from '../messages/messages.sql.ts';

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
