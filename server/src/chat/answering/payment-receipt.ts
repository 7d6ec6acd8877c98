import type { DocumentSection } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';

export interface PaymentReceipt {
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
