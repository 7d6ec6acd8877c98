import type { Speech } from '../adapters/speech/speech.ts';
import type { PublishedBot } from '../bots/bot-loader.ts';
import type { Database } from '../database/database.ts';
import { ExtractionError, isRetryable } from '../documents/extraction/extraction.ts';
import type { Extractor } from '../documents/extraction/extractor.ts';
import { selectAttachment } from '../messages/messages.sql.ts';
import type { Logger } from '../shared/logger.ts';
import { toStorableText } from '../shared/storable-text.ts';
import type { UnansweredMessage } from './conversation-context.queries.ts';
import { type PaymentReceipt, readReceipt, readReceiptDocument } from './payment-receipt.ts';

export interface InboundContent {
  id: string;
  /** Written or transcribed. Empty if the content cannot be read. */
  text: string;
  receipt: PaymentReceipt | null;
}

export interface ContentReaders {
  db: Database;
  speech: Speech | null;
  extractor: Pick<Extractor, 'extract'>;
  logger: Pick<Logger, 'warn'>;
}

interface Attempt {
  signal: AbortSignal;
  /** Fail, and so retry, if a document reader was overloaded or crashed. */
  waitsForReaders: boolean;
}

/** Reads only the kinds of content that the bot accepts. Unreadable content becomes an empty text. */
export async function readInboundContent(
  readers: ContentReaders,
  bot: Pick<PublishedBot, 'allowUserAudioRequests' | 'capturePayments'>,
  messages: readonly UnansweredMessage[],
  attempt: Attempt,
): Promise<InboundContent[]> {
  const contents: InboundContent[] = [];
  for (const message of messages) {
    const text = await readText(readers, bot, message, attempt.signal);
    const receipt = bot.capturePayments ? await findReceipt(readers, message, attempt) : null;
    contents.push({ id: message.id, text, receipt });
  }
  return contents;
}

async function readText(
  { db, speech, logger }: ContentReaders,
  bot: Pick<PublishedBot, 'allowUserAudioRequests'>,
  { id, kind, text }: UnansweredMessage,
  signal: AbortSignal,
): Promise<string> {
  if (kind === 'document' && isFileName(text)) return '';
  if (kind !== 'voice' || speech === null || !bot.allowUserAudioRequests) return text;
  const audio = await selectAttachment(db, id);
  if (audio === undefined) return text;
  try {
    return toStorableText(await speech.transcribe(audio, signal));
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ err: error, messageId: id }, 'failed to transcribe a voice note');
    return text;
  }
}

/** Reads only the caption of an image. */
async function findReceipt(
  { db, extractor, logger }: ContentReaders,
  { id, kind, text, mimeType }: UnansweredMessage,
  { signal, waitsForReaders }: Attempt,
): Promise<PaymentReceipt | null> {
  if (kind !== 'image' && kind !== 'document') return null;
  const caption = readReceipt(text);
  if (caption !== null || kind === 'image' || mimeType !== 'application/pdf') return caption;
  const attachment = await selectAttachment(db, id);
  if (attachment === undefined) return null;
  try {
    const { sections } = await extractor.extract({ type: 'pdf', bytes: attachment.bytes }, signal);
    return readReceiptDocument(sections);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ExtractionError) || (waitsForReaders && isRetryable(error))) throw error;
    logger.warn({ err: error, messageId: id }, 'failed to read an attachment');
    return null;
  }
}

/** A document without a caption has its file name as text. */
const isFileName = (text: string): boolean => /^[^\n]+\.[A-Za-z0-9]{1,5}$/.test(text);
