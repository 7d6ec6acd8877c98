import type { DocumentSection } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { PublishedBot } from '../../knowledge/bots/bot-loader.ts';
import { ExtractionError, isRetryable } from '../../knowledge/documents/extraction/extraction.ts';
import type { Extractor } from '../../knowledge/documents/extraction/extractor.ts';
import type { Database } from '../../platform/database/database.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import type { Speech } from '../../ports/speech/speech.ts';
import { selectAttachment } from '../messages/message-media.sql.ts';
import { readMedium } from '../messages/read-medium.ts';
import type { UnansweredMessage } from './conversation-context.queries.ts';
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
  const isRead =
    text.trim() !== '' && !(kind === 'document' && isFileName(text)) && !hiddenContent.test(text);
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

/** Stands for content that the network or Parley does not show. */
const hiddenContent = /^\[(unsupported message: [\w ]{1,60}|view-once message)\]$/;

/** A document without a caption has its file name as text. */
const isFileName = (text: string): boolean => /^[^\n]+\.[A-Za-z0-9]{1,5}$/.test(text);

interface PaymentReceipt {
  amount: string;
  date: string | null;
  payer: string | null;
}

const paymentPattern =
  /(?<!\p{L})(?:receipt|payment|paid(?!\p{L})|transfer|transaction|comprobante|recibo|pago(?!\p{L})|pagado|transferencia|pagamento|comprovante|transferência|pix(?!\p{L})|zahlung|überweisung|beleg|quittung|bezahlt|paiement|virement|reçu|justificatif|ricevuta|bonifico|betaling|overschrijving|betaalbewijs)/iu;
const currency = String.raw`(?:R\$|US\$|[€$£¥₹]|EUR|USD|GBP|BRL|MXN|CHF|INR|ARS|COP|CLP|PEN)`;
// Repetitions are bounded. Otherwise a hostile text would block the process with backtracking.
const figure = String.raw`\d{1,3}(?:[.,' ]\d{3}){0,6}(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?`;
const amountPattern = new RegExp(
  String.raw`${currency}\s?(?:${figure})(?!\d)|(?<!\d)(?:${figure})\s?${currency}`,
  'u',
);
const datePattern =
  /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}\.? (?:de )?\p{L}{3,10}\.?,? (?:de )?\d{4}\b|\b\p{L}{3,9} \d{1,2}, \d{4}\b/u;
const payerLabel =
  '(?i:from|payer|paid by|sender|ordenante|pagador|remitente|remetente|de|auftraggeber|absender|zahler|von|payeur|émetteur|ordinante|pagante|betaler|van)';
/**
 * Text of PDFs has paragraphs instead of lines: there, the next label, amount or date ends the name. Later words of a label are
 * lower case.
 */
const payerEnd = String.raw`(?=[ \t]+(?:\p{Lu}\p{L}{1,19}(?: \p{Ll}{2,20}){0,2}:|${currency}|\d)|[ \t]*$)`;
const payerPattern = new RegExp(
  String.raw`(?<!\p{L})${payerLabel}[ \t]{0,20}[:\t][ \t]{0,20}(\S[^\n]{0,99}?)${payerEnd}`,
  'mu',
);

/** Covers the first page, which states the fields of a receipt. */
const longestSearched = 20_000;

/** Returns null if the text does not look like a payment receipt. */
export function readReceipt(written: string): PaymentReceipt | null {
  const text = takeStart(written, longestSearched);
  const amount = amountPattern.exec(text)?.[0];
  if (amount === undefined || !paymentPattern.test(text)) return null;
  return {
    amount: amount.trim(),
    date: datePattern.exec(text)?.[0] ?? null,
    payer: payerPattern.exec(text)?.[1]?.trim() ?? null,
  };
}

/** Reads only as many sections as `readReceipt` searches. */
export function readReceiptDocument(sections: Iterable<DocumentSection>): PaymentReceipt | null {
  let written = '';
  for (const { heading, text } of sections) {
    written += `${heading ?? ''}\n${text}\n`;
    if (written.length >= longestSearched) break;
  }
  return readReceipt(written);
}
