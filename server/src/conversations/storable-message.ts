import { createHash } from 'node:crypto';
import type { InboundMessage, MessageContent } from '../adapters/messaging-network/messaging-network.ts';
import { toStorableText } from '../shared/storable-text.ts';

const longestText = 65_536;
const longestFileName = 255;
const longestNetworkId = 128;
const longestNumber = 64;
const longestVoiceSeconds = 86_400;
const waveformValues = 64;
const maxClockSkewMs = 86_400_000;

/**
 * Makes every value storable. Otherwise the network would redeliver the message forever and block later ones.
 * Cuts or drops values, but replaces values that identify a message or a contact by their digest.
 */
export const toStorableMessage = (message: InboundMessage): InboundMessage => ({
  networkId: identifying(message.networkId, longestNetworkId),
  contactNumber: identifying(message.contactNumber, longestNumber),
  fromMe: message.fromMe,
  sentAt: plausibleTime(message.sentAt),
  content: storableContent(message.content),
});

export const withoutContent = (message: InboundMessage): InboundMessage => ({
  ...message,
  sentAt: new Date(),
  content: { kind: 'text', text: '' },
});

function storableContent(content: MessageContent): MessageContent {
  switch (content.kind) {
    case 'text':
      return { kind: 'text', text: within(longestText, content.text) };
    case 'image':
      return { ...content, ...storableMedia(content), caption: within(longestText, content.caption) };
    case 'document':
      return {
        ...content,
        ...storableMedia(content),
        fileName: within(longestFileName, content.fileName),
        caption: within(longestText, content.caption),
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

function within(longest: number, text: string): string {
  const storable = toStorableText(text);
  if (storable.length <= longest) return storable;
  return [...storable.slice(0, longest * 2).toWellFormed()].slice(0, longest).join('');
}

function identifying(text: string, longest: number): string {
  if (text.length <= longest && toStorableText(text) === text) return text;
  return createHash('sha256').update(text, 'utf16le').digest('base64url');
}

function plausibleTime(time: Date): Date {
  const now = Date.now();
  return time.getTime() > 0 && time.getTime() <= now + maxClockSkewMs ? time : new Date(now);
}

const plausibleSeconds = (seconds: number): number =>
  seconds > 0 && seconds <= longestVoiceSeconds ? Math.round(seconds) : 0;
