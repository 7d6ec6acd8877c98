import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import type { MediumContent } from './read-medium.ts';

/** True if a medium refers to the file in a row of `listed`. */
export const refersToListedFile = sql<SqlBool>`exists (
  select from message_media where file_key = listed.key)`;

const content = sql`bytes, file_key as "fileKey"`;
/** The size of a medium in bytes. */
export const bytesOf = (medium: string) =>
  sql`coalesce(${sql.ref(`${medium}.size`)}, octet_length(${sql.ref(`${medium}.bytes`)}))`;

export interface StoredMedium extends MediumContent {
  mimeType: string;
}

/** Returns the first medium of a message. */
export async function selectAttachment(db: Database, messageId: string): Promise<StoredMedium | undefined> {
  const { rows } = await sql<StoredMedium>`
    select mime_type as "mimeType", ${content} from message_media
    where message_id = ${messageId} order by position limit 1`.execute(db);
  return rows[0];
}

/** Returns undefined if the voice note exceeds a limit. */
export async function selectVoiceNote(
  db: Database,
  messageId: string,
  { maxBytes, maxSeconds }: { maxBytes: number; maxSeconds: number },
): Promise<StoredMedium | undefined> {
  const { rows } = await sql<StoredMedium>`
    select mime_type as "mimeType", ${content} from message_media media
    where message_id = ${messageId} and kind = 'voice' and ${bytesOf('media')} <= ${maxBytes}
      and coalesce(seconds, 0) <= ${maxSeconds}
    order by position limit 1`.execute(db);
  return rows[0];
}

/** Returns the newest images within the limits. */
export async function selectNewestImages(
  db: Database,
  messageIds: readonly string[],
  {
    maxImages,
    maxImageBytes,
    maxTotalBytes,
  }: { maxImages: number; maxImageBytes: number; maxTotalBytes: number },
): Promise<({ messageId: string } & MediumContent)[]> {
  const { rows } = await sql<{ messageId: string } & MediumContent>`
    with image as (
      select m.message_id, m.position, sum(${bytesOf('m')}) over (order by messages.seq desc) as total
      from message_media m join messages on messages.id = m.message_id
      where m.message_id = any(${messageIds}::uuid[]) and m.kind = 'image' and ${bytesOf('m')} <= ${maxImageBytes}
      order by messages.seq desc limit ${maxImages}
    )
    select message_id as "messageId", ${content} from image join message_media using (message_id, position)
    where total <= ${maxTotalBytes}`.execute(db);
  return rows;
}

/** Returns the number of deleted media. Delete media before their messages. Watched by schedule_media_deletion. */
export async function deleteMediaOfTeam(db: Database, teamId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from message_media where ctid = any(array(
      select media.ctid from message_media media join messages on messages.id = media.message_id
      where messages.team_id = ${teamId} limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}

/** Returns the files of media, with the ids of their messages. Sizes are in bytes. */
export async function selectMediaFiles(
  db: Database | Transaction,
  scope: Scope,
): Promise<{ id: string; key: string; size: number }[]> {
  const { rows } = await sql<{ id: string; key: string; size: number }>`
    select m.id, media.file_key as key, media.size
    from message_media media join messages m on m.id = media.message_id
    where media.file_key is not null and ${inScope(scope, 'm.team_id')}`.execute(db);
  return rows;
}
