import type { PublishedBot } from '../../knowledge/bots/bot-loader.ts';
import type { Database } from '../../platform/database/database.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { isLasting, ProviderError } from '../../ports/provider-error.ts';
import { isOggOpus, readSeconds } from '../../ports/speech/ogg-opus.ts';
import type { Audio, Speech } from '../../ports/speech/speech.ts';
import { selectVoiceNote } from '../messages/message-media.sql.ts';
import { storeTranscript } from '../messages/messages.sql.ts';
import { readMedium } from '../messages/read-medium.ts';
import type { UnansweredMessage } from './conversation-context.queries.ts';

/** Why the bot cannot answer the content of a message, and the canned reply that says so. */
export interface Unreadable {
  outcome: 'audio_not_allowed' | 'unsupported_content' | 'provider_failed';
  reply: 'textOnly' | 'notUnderstood';
  /** The kind of the provider's failure, with `provider_failed`. */
  kind?: ProviderError['kind'];
}

export type ReadText = { text: string; unreadable: null } | { text: ''; unreadable: Unreadable };

const maxBytes = 4 * 1024 * 1024;
const maxSeconds = 600;
/** After this many attempts, the bot asks for text. A contact waits about a minute at most. */
const maxAttempts = 3;
const maxTextLength = 65_536;

interface Readers {
  db: Database;
  fileStore: Pick<FileStore, 'get'>;
  speech: Pick<Speech, 'transcribe'>;
  logger: Pick<Logger, 'warn'>;
}

export const unreadableText = (outcome: Unreadable['outcome'], reply: Unreadable['reply']): ReadText => ({
  text: '',
  unreadable: { outcome, reply },
});

/** Transcribes a voice note once and stores its words. Rejects with `ProviderError` if a later attempt should retry. */
export async function readVoiceNote(
  readers: Readers,
  { allowUserAudioRequests }: Pick<PublishedBot, 'allowUserAudioRequests'>,
  { id, text: known }: Pick<UnansweredMessage, 'id' | 'text'>,
  { signal, attempts }: { signal: AbortSignal; attempts: number },
): Promise<ReadText> {
  const { db, fileStore, logger } = readers;
  const { transcribe } = readers.speech;
  if (!allowUserAudioRequests) return unreadableText('audio_not_allowed', 'textOnly');
  // An earlier attempt to answer transcribed it.
  if (known !== '') return { text: known, unreadable: null };
  if (transcribe === null) return unreadableText('audio_not_allowed', 'textOnly');
  const stored = await selectVoiceNote(db, id, { maxBytes, maxSeconds });
  const bytes = stored === undefined ? null : await readMedium(fileStore, stored);
  const audio = stored === undefined || bytes === null ? null : { mimeType: stored.mimeType, bytes };
  if (audio === null || isTooLong(audio)) return unreadableText('unsupported_content', 'notUnderstood');
  try {
    const text = toTranscript(await transcribe(audio, signal));
    if (text === '') return unreadableText('unsupported_content', 'notUnderstood');
    await storeTranscript(db, id, text);
    return { text, unreadable: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    const isRefused = error.kind === 'refused';
    if (!isRefused && !isLasting(error) && attempts < maxAttempts) throw error;
    logger.warn({ err: error, messageId: id }, 'failed to transcribe a voice note');
    if (isRefused) return unreadableText('unsupported_content', 'notUnderstood');
    return { text: '', unreadable: { outcome: 'provider_failed', reply: 'notUnderstood', kind: error.kind } };
  }
}

/** The sender states the length; a longer recording would cost more than the limit allows. */
function isTooLong({ bytes }: Audio): boolean {
  if (!isOggOpus(bytes)) return false;
  try {
    return readSeconds(bytes) > maxSeconds;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

const toTranscript = (text: string): string => takeStart(toStorableText(text).trim(), maxTextLength);
