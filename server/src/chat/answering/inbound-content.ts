import type { PublishedBot } from '../../knowledge/bots/bot-loader.ts';
import { ExtractionError, isRetryable } from '../../knowledge/documents/extraction/extraction.ts';
import type { Extractor } from '../../knowledge/documents/extraction/extractor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import type { Speech } from '../../ports/speech/speech.ts';
import { selectAttachment } from '../messages/messages.sql.ts';
import { readMedium } from '../messages/read-medium.ts';
import type { UnansweredMessage } from './conversation-context.queries.ts';
import { type PaymentReceipt, readReceipt, readReceiptDocument } from './payment-receipt.ts';
import { flagAfterAttempts } from './retry.ts';
import { type ReadText, readVoiceNote, type Unreadable, unreadableText } from './voice-notes.ts';

export interface InboundContent extends Pick<UnansweredMessage, 'sentMs' | 'withdrawn' | 'quoted'> {
  id: string;
  /** Written or transcribed. Empty if the content cannot be read, or was withdrawn. */
  text: string;
  unreadable: Unreadable | null;
  receipt: PaymentReceipt | null;
  image?: ModelImage;
}

export interface ContentReaders {
  db: Database;
  fileStore: Pick<FileStore, 'get'>;
  speech: Pick<Speech, 'transcribe'>;
  extractor: Pick<Extractor, 'extract'>;
  logger: Pick<Logger, 'warn'>;
}

interface Attempt {
  teamId: string;
  signal: AbortSignal;
  /** Includes this attempt. */
  attempts: number;
  /** By message id. Null if the model sees no images. */
  images: ReadonlyMap<string, ModelImage> | null;
}

/** Voice notes of a conversation that are transcribed at once. */
const maxTranscriptions = 4;

/** Reads only the kinds of content that the bot accepts. Rejects if the content should be read later. */
export async function readInboundContent(
  readers: ContentReaders,
  bot: Pick<PublishedBot, 'allowUserAudioRequests' | 'capturePayments'>,
  messages: readonly UnansweredMessage[],
  attempt: Attempt,
): Promise<InboundContent[]> {
  const contents = new Map<string, InboundContent>();
  await forEachConcurrently(messages, maxTranscriptions, async (message) => {
    const { id, kind, sentMs, withdrawn, quoted } = message;
    if (withdrawn !== null) {
      contents.set(id, { id, text: '', unreadable: null, receipt: null, sentMs, withdrawn, quoted });
      return;
    }
    const read =
      kind === 'voice' ? await readVoiceNote(readers, bot, message, attempt) : readText(message, attempt);
    const receipt = bot.capturePayments ? await findReceipt(readers, message, attempt) : null;
    const image = attempt.images?.get(id);
    const unreadable = receipt === null && image === undefined ? read.unreadable : null;
    const known = { id, text: read.text, unreadable, receipt, sentMs, withdrawn, quoted };
    contents.set(id, { ...known, ...(image === undefined ? {} : { image }) });
  });
  return messages.flatMap(({ id }) => contents.get(id) ?? []);
}

function readText({ kind, text }: UnansweredMessage, { images }: Pick<Attempt, 'images'>): ReadText {
  const isRead = text.trim() !== '' && !(kind === 'document' && isFileName(text));
  if (isRead) return { text, unreadable: null };
  const readsKind = kind === 'image' && images !== null;
  return unreadableText('unsupported_content', readsKind ? 'notUnderstood' : 'textOnly');
}

async function findReceipt(
  { db, fileStore, extractor, logger }: ContentReaders,
  { id, kind, text, mimeType }: UnansweredMessage,
  { teamId, signal, attempts }: Attempt,
): Promise<PaymentReceipt | null> {
  if (kind !== 'image' && kind !== 'document') return null;
  const caption = readReceipt(text);
  if (caption !== null || kind === 'image' || mimeType !== 'application/pdf') return caption;
  const attachment = await selectAttachment(db, id);
  const bytes = attachment === undefined ? null : await readMedium(fileStore, attachment);
  if (bytes === null) return null;
  try {
    const { sections } = await extractor.extract({ type: 'pdf', bytes }, { teamId, signal });
    return readReceiptDocument(sections);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ExtractionError) || (attempts < flagAfterAttempts && isRetryable(error)))
      throw error;
    logger.warn({ err: error, messageId: id }, 'failed to read an attachment');
    return null;
  }
}

/** A document without a caption has its file name as text. */
const isFileName = (text: string): boolean => /^[^\n]+\.[A-Za-z0-9]{1,5}$/.test(text);
