import type { SpokenText } from '../adapters/speech/speech.ts';
import type { Database, Transaction } from '../database/database.ts';
import { insertMedia, type NewMedia } from './media.queries.ts';

export const recordMedia = (tx: Transaction | Database, media: NewMedia): Promise<void> =>
  insertMedia(tx, media);

export const voiceNote = (messageId: string, position: number, spoken: SpokenText): NewMedia => ({
  messageId,
  position,
  kind: 'voice',
  mimeType: 'audio/ogg; codecs=opus',
  bytes: spoken.bytes,
  seconds: Math.round(spoken.seconds),
  waveform: spoken.waveform,
});
