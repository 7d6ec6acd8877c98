import type { Speech } from '../adapters/speech/speech.ts';
import type { PublishedBot } from '../bots/bot-loader.ts';
import type { Database } from '../database/database.ts';
import { ExtractionError, isRetryable } from '../documents/extraction/extraction.ts';
import type { Extractor } from '../documents/extraction/extractor.ts';
import type { Logger } from '../shared/logger.ts';
import { toStorableText } from '../shared/storable-text.ts';
import { selectAttachment, type UnansweredMessage } from './conversation-context.queries.ts';
import { type PaymentReceipt, readReceipt, readReceiptDocument } from './payment-receipt.ts';

/** A message of a contact in words. */
export interface InboundContent {
  id: string;
  /** What is written or was said; empty when nobody here can read it. */
  text: string;
  /** What it says of a payment, where the bot looks for that. */
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
  /** Whether it fails, for another to come, when a document could not be read for reasons of ours. */
  waitsForReaders: boolean;
}

/** Reads and hears messages as the bot is allowed to. What cannot be read is left without words. */
export async function readInboundContent(
  senses: ContentReaders,
  bot: Pick<PublishedBot, 'allowUserAudioRequests' | 'capturePayments'>,
  messages: readonly UnansweredMessage[],
  attempt: Attempt,
): Promise<InboundContent[]> {
  const heard: InboundContent[] = [];
  for (const message of messages) {
    const text = await wordsOf(senses, bot, message, attempt.signal);
    const receipt = bot.capturePayments ? await receiptIn(senses, message, attempt) : null;
    heard.push({ id: message.id, text, receipt });
  }
  return heard;
}

async function wordsOf(
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
    logger.warn({ err: error, messageId: id }, 'a voice note could not be transcribed');
    return text;
  }
}

/** Images show what they say to the eye only: of them, the caption counts. */
async function receiptIn(
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
    logger.warn({ err: error, messageId: id }, 'an attachment could not be read');
    return null;
  }
}

/** A document without a caption is kept under its name, which is nothing that the contact said. */
const isFileName = (text: string): boolean => /^[^\n]+\.[A-Za-z0-9]{1,5}$/.test(text);
