import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

export interface MediumRow {
  messageId: string;
  position: number;
  kind: 'image' | 'voice' | 'document';
  mimeType: string;
  seconds: number | null;
  waveform: Uint8Array | null;
  /** Of a document. */
  fileName?: string;
}

/** Where the bytes of a medium are. */
export type MediumPlace = { bytes: Uint8Array } | { fileKey: string; size: number };

export async function insertMedia(
  tx: Transaction | Database,
  { messageId, position, kind, mimeType, seconds, waveform, fileName }: MediumRow,
  place: MediumPlace,
): Promise<void> {
  const [bytes, fileKey, size] =
    'bytes' in place ? [place.bytes, null, null] : [null, place.fileKey, place.size];
  await sql`
    insert into message_media (message_id, position, kind, mime_type, bytes, file_key, size, seconds, waveform, file_name)
    values (${messageId}, ${position}, ${kind}, ${mimeType}, ${bytes}, ${fileKey}, ${size}, ${seconds}, ${waveform},
            ${fileName ?? null})`.execute(tx);
}

export interface MediumToMove {
  messageId: string;
  position: number;
  teamId: string;
  size: number;
}

/** Returns media that are still in the table and too large for it, after `after` in the order of their ids. */
export async function selectMediaToMove(
  db: Database,
  after: { messageId: string; position: number },
  limit: number,
): Promise<MediumToMove[]> {
  const { rows } = await sql<MediumToMove>`
    select media.message_id as "messageId", media.position, m.team_id as "teamId", octet_length(media.bytes) as size
    from message_media media join messages m on m.id = media.message_id
    where octet_length(media.bytes) > 65536
      and (media.message_id, media.position) > (${after.messageId}::uuid, ${after.position}::int)
    order by media.message_id, media.position limit ${limit}`.execute(db);
  return rows;
}

export async function selectBytes(
  db: Database,
  { messageId, position }: Pick<MediumToMove, 'messageId' | 'position'>,
): Promise<Buffer | null> {
  const { rows } = await sql<{ bytes: Buffer | null }>`
    select bytes from message_media where message_id = ${messageId} and position = ${position}`.execute(db);
  return rows[0]?.bytes ?? null;
}

/** Returns false if the medium was deleted or moved meanwhile. */
export async function updateMovedMedium(
  tx: Transaction,
  { messageId, position }: Pick<MediumToMove, 'messageId' | 'position'>,
  { fileKey, size }: { fileKey: string; size: number },
): Promise<boolean> {
  const { rows } = await sql`
    update message_media set bytes = null, file_key = ${fileKey}, size = ${size}
    where message_id = ${messageId} and position = ${position} and bytes is not null returning message_id`.execute(
    tx,
  );
  return rows.length === 1;
}
