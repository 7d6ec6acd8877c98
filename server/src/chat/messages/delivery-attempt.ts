import { readOffer } from '../../knowledge/assistant-provider/embedded/offered-questions.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type {
  MessageChoices,
  MessageContent,
  OutboundMessage,
} from '../../ports/messaging-network/messaging-network.ts';
import { networksWithButtons } from '../../ports/messaging-network/supported-content.ts';
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
  /** An unknown outcome is final. See `networksThatSendOnce`. */
  sendsOnce: boolean;
  /** Sent in this order. The first part decides the delivery status. */
  parts: AttemptPart[];
}

/** With a `fileKey`, the bytes of the content are still in the file store. */
export type AttemptPart = OutboundMessage & { fileKey?: string };

/** Derives the network's id from the message id, so that receipts find the row. */
export const toNetworkId = (messageId: string): string => messageId.replaceAll('-', '').toUpperCase();

/** Returns null for ids that Parley did not create, and for the second part of a message. */
export function toMessageId(networkId: string): string | null {
  const id = networkId.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : null;
}

export function toDeliveryAttempt(row: ClaimedRow, media: readonly MediaRow[]): DeliveryAttempt {
  const choices = media.length === 0 && hasButtons(row) ? (row.choices ?? numbersOf(row)) : null;
  const contents: PartContent[] =
    media.length === 0
      ? [{ content: { kind: 'text', text: textOf(row) }, fileKey: null }]
      : toContents(row, media);
  return {
    messageId: row.id,
    deviceId: row.device_id,
    teamId: row.team_id,
    requestId: row.request_id,
    attempts: row.attempts,
    hasMore: row.has_more,
    sendsOnce: row.sends_once,
    parts: contents.map(({ content, fileKey }, index) => ({
      networkId: index === 0 ? row.network_id : `${row.network_id}${index + 1}`,
      to: row.contact_number,
      content,
      ...(row.to_known_contact && { toKnownContact: true }),
      ...(row.template !== null && { template: row.template }),
      ...(choices !== null && { choices }),
      ...(fileKey !== null && { fileKey }),
    })),
  };
}

const hasButtons = ({ network }: ClaimedRow): boolean => networksWithButtons.some((name) => name === network);

/** A bot that offers numbered questions takes the number as the choice. */
function numbersOf({ origin, text }: ClaimedRow): MessageChoices | null {
  const options = origin === 'bot' ? readOffer(text).map((_, index) => ({ title: String(index + 1) })) : [];
  return options.length === 0 ? null : { options };
}

/** Networks without buttons show the options as lines. */
function textOf(row: ClaimedRow): string {
  if (row.choices === null || hasButtons(row)) return row.text;
  const lines = row.choices.options.map(
    ({ title, description }, index) =>
      `${index + 1}. ${title}${description === undefined ? '' : ` (${description})`}`,
  );
  return [row.text, '', ...lines].join('\n');
}

/** Reads the bytes that are in the file store. Rejects if a file is missing. */
export const loadParts = (
  fileStore: Pick<FileStore, 'get'>,
  parts: readonly AttemptPart[],
): Promise<OutboundMessage[]> =>
  Promise.all(
    parts.map(async ({ fileKey, ...part }) => {
      const { content } = part;
      if (fileKey === undefined || content.kind === 'text') return part;
      const bytes = await fileStore.get(fileKey);
      if (bytes === null) throw new Error(`the file ${fileKey} is missing`);
      return { ...part, content: { ...content, bytes } };
    }),
  );

interface PartContent {
  content: MessageContent;
  fileKey: string | null;
}

const notLoaded = Buffer.alloc(0);

/** Does not repeat a spoken text as the caption of the image. */
function toContents(row: ClaimedRow, media: readonly MediaRow[]): PartContent[] {
  const caption = media.some(({ kind }) => kind === 'voice') ? '' : row.text;
  return media.map((part) => ({ content: toContent(part, caption), fileKey: part.file_key }));
}

function toContent(
  { kind, mime_type: mimeType, bytes: stored, file_name: fileName, ...voice }: MediaRow,
  caption: string,
): MessageContent {
  const bytes = stored ?? notLoaded;
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
      return { kind, mimeType, bytes, fileName: fileName ?? 'document', caption };
  }
}
