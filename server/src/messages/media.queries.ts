import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';

export interface NewMedia {
  messageId: string;
  position: number;
  kind: 'image' | 'voice' | 'document';
  mimeType: string;
  bytes: Uint8Array;
  seconds: number | null;
  waveform: Uint8Array | null;
}

export async function insertMedia(tx: Transaction | Database, media: NewMedia): Promise<void> {
  await sql`
    insert into message_media (message_id, position, kind, mime_type, bytes, seconds, waveform)
    values (${media.messageId}, ${media.position}, ${media.kind}, ${media.mimeType}, ${media.bytes},
            ${media.seconds}, ${media.waveform})`.execute(tx);
}
