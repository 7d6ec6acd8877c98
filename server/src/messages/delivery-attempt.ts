import type { MessageContent, OutboundMessage } from '../adapters/messaging-network/messaging-network.ts';
import { isUuid } from '../shared/ids.ts';
import type { ClaimedRow, MediaRow } from './outbox.queries.ts';

/** A claimed attempt. No other pool may deliver the message while the claim lasts. */
export interface DeliveryAttempt {
  messageId: string;
  deviceId: string;
  teamId: string;
  requestId: string | null;
  /** Includes this attempt. */
  attempts: number;
  hasMore: boolean;
  /** Sent in this order. The first part decides the delivery status. */
  parts: OutboundMessage[];
}

/** Derives the network's id from the message id, so that receipts find the row. */
export const toNetworkId = (messageId: string): string => messageId.replaceAll('-', '').toUpperCase();

/** Returns null for ids that Parley did not create, and for the second part of a message. */
export function toMessageId(networkId: string): string | null {
  const id = networkId.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : null;
}

export function toDeliveryAttempt(row: ClaimedRow, media: readonly MediaRow[]): DeliveryAttempt {
  const contents = media.length === 0 ? [{ kind: 'text' as const, text: row.text }] : toContents(row, media);
  return {
    messageId: row.id,
    deviceId: row.device_id,
    teamId: row.team_id,
    requestId: row.request_id,
    attempts: row.attempts,
    hasMore: row.has_more,
    parts: contents.map((content, index) => ({
      networkId: index === 0 ? row.network_id : `${row.network_id}${index + 1}`,
      to: row.contact_number,
      content,
      ...(row.to_known_contact && { toKnownContact: true }),
    })),
  };
}

/** Does not repeat a spoken text as the caption of the image. */
function toContents(row: ClaimedRow, media: readonly MediaRow[]): MessageContent[] {
  const caption = media.some(({ kind }) => kind === 'voice') ? '' : row.text;
  return media.map((part) => toContent(part, caption));
}

function toContent(
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
