import type { Database, Transaction } from '../../platform/database/database.ts';
import type { SpokenText } from '../../ports/speech/speech.ts';
import { keepFile } from '../../records/external-deletions/external-deletions.ts';
import { insertMedia, type MediumRow } from './media.queries.ts';
import type { StoredBytes } from './media-files.ts';

export type NewMedia = MediumRow & { bytes: StoredBytes };

/** A spoken text whose bytes may be in the file store. */
export type SpokenMedium = Omit<SpokenText, 'bytes'> & { bytes: StoredBytes };

/** Throws if the medium's file waited too long for this row. */
export async function recordMedia(tx: Transaction | Database, { bytes, ...row }: NewMedia): Promise<void> {
  if (bytes instanceof Uint8Array) return insertMedia(tx, row, { bytes });
  await keepFile(tx, bytes.deletionId);
  await insertMedia(tx, row, bytes);
}

export const voiceNote = (messageId: string, position: number, spoken: SpokenMedium): NewMedia => ({
  messageId,
  position,
  kind: 'voice',
  mimeType: 'audio/ogg; codecs=opus',
  bytes: spoken.bytes,
  seconds: Math.round(spoken.seconds),
  waveform: spoken.waveform,
});
