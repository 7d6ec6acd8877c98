import type { MessageContent, MessageDetails } from '@parley/server/messaging-network';
import type { proto } from 'baileys';
import type { MediaReference } from './media-reference.ts';

export interface ReadContent {
  /** Describes media until they are downloaded. */
  content: Extract<MessageContent, { kind: 'text' }>;
  details?: MessageDetails;
  media?: MediaReference;
  /** The network has the products of this order. */
  order?: OrderReference;
}

export interface OrderReference {
  id: string;
  token: string;
}

export const text = (words: string, details?: MessageDetails): ReadContent => ({
  content: { kind: 'text', text: words },
  ...(details && { details }),
});

/** Content that Parley cannot show. `words` are those of its parts that it can. */
export const unsupported = (contentType: string, words?: string | null): ReadContent =>
  text([`[unsupported message: ${contentType}]`, words].filter(Boolean).join(' '), {
    type: 'unsupported',
    contentType,
  });

export const readId = (key: proto.IMessageKey | null | undefined): { about?: string } =>
  key?.id ? { about: key.id } : {};

type Long = proto.Message.IRequestPaymentMessage['amount1000'];

/** The network counts in parts of the currency's unit. Returns nothing for a missing or invalid amount. */
export function readAmount(
  parts: Long,
  currency: string | null | undefined,
  partsPerUnit = 1000,
): { amount?: number; currency?: string } {
  const amount = parts === null || parts === undefined ? Number.NaN : Number(parts) / partsPerUnit;
  return { ...(Number.isFinite(amount) && { amount }), ...(currency && { currency }) };
}

export const describeAmount = ({ amount, currency = '' }: { amount?: number; currency?: string }): string =>
  amount === undefined ? '' : `${amount} ${currency}`.trim();

/** ISO 8601, or nothing for an invalid time. */
export function readTime(time: Long, unitMs: number): { startsAt?: string } {
  const ms = Number(time ?? Number.NaN) * unitMs;
  return ms > 0 && ms < 8.64e15 ? { startsAt: new Date(ms).toISOString() } : {};
}
