import { createHash } from 'node:crypto';
import type { InboundMessage, MessageContent } from '../adapters/messaging-network/messaging-network.ts';
import { toStorableText } from '../shared/storable-text.ts';

const longestText = 65_536;
const longestFileName = 255;
const longestNetworkId = 128;
const longestNumber = 64;
const longestVoiceSeconds = 86_400;
const waveformValues = 64;
const earlyMs = 86_400_000;

/**
 * A message of which everything can be kept, whatever the network or a contact's client says in it: one that cannot would
 * be brought again for ever, and with it nothing after it. What cannot be kept as it is, is cut, left out or, where it
 * tells one message or contact from others, replaced by its digest.
 */
export const toStorableMessage = (message: InboundMessage): InboundMessage => ({
  networkId: identifying(message.networkId, longestNetworkId),
  contactNumber: identifying(message.contactNumber, longestNumber),
  fromMe: message.fromMe,
  sentAt: plausibleTime(message.sentAt),
  content: storableContent(message.content),
});

/** The message with nothing in it, as the bot is told of what it cannot read. */
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
      // A network may be of a newer edition than this program, and know more kinds.
      return { kind: 'text', text: '' };
  }
}

/** A type goes into headers of requests and answers. */
const storableMedia = ({ mimeType }: { mimeType: string }): { mimeType: string } => ({
  mimeType: /^[\x20-\x7e]{1,255}$/.test(mimeType) ? mimeType : 'application/octet-stream',
});

/** At most so many characters, none of them halved. */
function within(longest: number, text: string): string {
  const storable = toStorableText(text);
  if (storable.length <= longest) return storable;
  return [...storable.slice(0, longest * 2).toWellFormed()].slice(0, longest).join('');
}

/** Different ones stay different. */
function identifying(text: string, longest: number): string {
  if (text.length <= longest && toStorableText(text) === text) return text;
  return createHash('sha256').update(text, 'utf16le').digest('base64url');
}

/** Now, when the network says nothing of use. */
function plausibleTime(time: Date): Date {
  const now = Date.now();
  return time.getTime() > 0 && time.getTime() <= now + earlyMs ? time : new Date(now);
}

/** 0 where the length is not known. */
const plausibleSeconds = (seconds: number): number =>
  seconds > 0 && seconds <= longestVoiceSeconds ? Math.round(seconds) : 0;
