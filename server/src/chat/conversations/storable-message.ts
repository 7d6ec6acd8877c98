import { createHash } from 'node:crypto';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type {
  InboundMessage,
  MessageContent,
  MessageDetails,
} from '../../ports/messaging-network/messaging-network.ts';

const maxTextLength = 65_536;
const maxFileNameLength = 255;
const maxNetworkIdLength = 128;
/** The longest id with its scheme. */
const maxNumberLength = 160;
/** `contacts.network_name` is shorter. */
const maxContactNameLength = 200;
const maxVoiceSeconds = 86_400;
const waveformValues = 64;
const maxClockSkewMs = 86_400_000;

/**
 * Makes every value storable. Otherwise the network would redeliver the message forever and block later ones.
 * Cuts or drops values, but replaces values that identify a message or a contact by their digest.
 */
export const toStorableMessage = (message: InboundMessage): InboundMessage => ({
  networkId: toStorableId(message.networkId, maxNetworkIdLength),
  contactNumber: toStorableId(message.contactNumber, maxNumberLength),
  ...(message.contactName && { contactName: truncate(message.contactName, maxContactNameLength) }),
  fromMe: message.fromMe,
  ...(message.mayBeAutomatic && { mayBeAutomatic: true }),
  sentAt: plausibleTime(message.sentAt),
  content: storableContent(message.content),
  ...(message.details && { details: storableDetails(message.details) }),
});

const maxListItems = 100;
const maxDetailLength = 4096;

/** Cuts texts and lists, and replaces numbers that JSON cannot hold. */
function storableDetails(details: MessageDetails): MessageDetails {
  const storable = (value: unknown): unknown => {
    if (typeof value === 'string') return truncate(value, maxDetailLength);
    if (typeof value === 'number') return Number.isFinite(value) ? value : 0;
    if (Array.isArray(value)) return value.slice(0, maxListItems).map(storable);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, storable(member)]));
  };
  // Has the same members.
  return storable(details) as MessageDetails;
}

export const withoutContent = ({ details: _, ...message }: InboundMessage): InboundMessage => ({
  ...message,
  sentAt: new Date(),
  content: { kind: 'text', text: '' },
});

function storableContent(content: MessageContent): MessageContent {
  switch (content.kind) {
    case 'text':
      return { kind: 'text', text: truncate(content.text, maxTextLength) };
    case 'image':
      return { ...content, ...storableMedia(content), caption: truncate(content.caption, maxTextLength) };
    case 'document':
      return {
        ...content,
        ...storableMedia(content),
        fileName: truncate(content.fileName, maxFileNameLength),
        caption: truncate(content.caption, maxTextLength),
      };
    case 'voice':
      return {
        ...content,
        ...storableMedia(content),
        seconds: plausibleSeconds(content.seconds),
        waveform: content.waveform.subarray(0, waveformValues),
      };
    default:
      // A newer version of the network may send kinds that this version does not know.
      return { kind: 'text', text: '' };
  }
}

const storableMedia = ({ mimeType }: { mimeType: string }): { mimeType: string } => ({
  mimeType: /^[\x20-\x7e]{1,255}$/.test(mimeType) ? mimeType : 'application/octet-stream',
});

function truncate(text: string, maxLength: number): string {
  const storable = toStorableText(text);
  if (storable.length <= maxLength) return storable;
  return [...storable.slice(0, maxLength * 2).toWellFormed()].slice(0, maxLength).join('');
}

function toStorableId(text: string, maxLength: number): string {
  if (text.length <= maxLength && toStorableText(text) === text) return text;
  return createHash('sha256').update(text, 'utf16le').digest('base64url');
}

function plausibleTime(time: Date): Date {
  const now = Date.now();
  return time.getTime() > 0 && time.getTime() <= now + maxClockSkewMs ? time : new Date(now);
}

const plausibleSeconds = (seconds: number): number =>
  seconds > 0 && seconds <= maxVoiceSeconds ? Math.round(seconds) : 0;
