import type { MessageContent, OutboundMessage } from '../adapters/messaging-network/messaging-network.ts';
import { isUuid } from '../shared/ids.ts';
import type { ClaimedRow, MediaRow } from './outbox.queries.ts';

/** A message that this pool alone may hand to the network, once. */
export interface DeliveryAttempt {
  messageId: string;
  deviceId: string;
  teamId: string;
  /** This one included. */
  attempts: number;
  /** More waits for the device, be it only for its turn. */
  more: boolean;
  /** What goes to the network, in this order; the first part decides what becomes of the message. */
  parts: OutboundMessage[];
}

/** Pauses before the retries of an unknown outcome, in seconds: there are no more hand-offs than these and the first. */
export const retryPauses: readonly number[] = [2, 15, 60];

/** The id under which the network knows a message, made of our own: receipts find the row by it. */
export const toNetworkId = (messageId: string): string => messageId.replaceAll('-', '').toUpperCase();

/** Null for ids that are not of our making, and for the second part of a message. */
export function toMessageId(networkId: string): string | null {
  const id = networkId.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : null;
}

export function toDeliveryAttempt(row: ClaimedRow, media: readonly MediaRow[]): DeliveryAttempt {
  const contents = media.length === 0 ? [{ kind: 'text' as const, text: row.text }] : contentsOf(row, media);
  return {
    messageId: row.id,
    deviceId: row.device_id,
    teamId: row.team_id,
    attempts: row.attempts,
    more: row.more,
    parts: contents.map((content, index) => ({
      networkId: index === 0 ? row.network_id : `${row.network_id}${index + 1}`,
      to: row.contact_number,
      content,
    })),
  };
}

/** A text that is spoken is not the caption of the image before it, too. */
function contentsOf(row: ClaimedRow, media: readonly MediaRow[]): MessageContent[] {
  const caption = media.some(({ kind }) => kind === 'voice') ? '' : row.text;
  return media.map((part) => contentOf(part, caption));
}

function contentOf(
  { kind, mime_type: mimeType, bytes, ...voice }: MediaRow,
  caption: string,
): MessageContent {
  switch (kind) {
    case 'image':
      return { kind, mimeType, bytes, caption };
    case 'voice':
      return {
        kind,
        mimeType,
        bytes,
        seconds: voice.seconds ?? 0,
        waveform: voice.waveform ?? new Uint8Array(64),
      };
    case 'document':
      return { kind, mimeType, bytes, fileName: 'document', caption };
  }
}
