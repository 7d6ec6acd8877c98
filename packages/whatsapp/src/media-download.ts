import { createHash, timingSafeEqual } from 'node:crypto';
import { downloadContentFromMessage } from 'baileys';
import type {
  InboundMessage,
  MessageContent,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { MediaReference } from './media-reference.ts';

/** The sender names another host in the message, which must not be used. */
const mediaHost = 'mmg.whatsapp.net';
const timeoutMs = 30_000;
const attempts = 3;

export interface DownloadOptions {
  maxBytes: number;
  /** The network of the tests has its own host. */
  isFake: boolean;
  warn(why: string): void;
}

class MediaTooLarge extends Error {
  override readonly name = 'MediaTooLarge';
}

/** Replaces the description of media by their bytes. Keeps the description if they are too large or unavailable. */
export async function downloadMedia(
  message: InboundMessage,
  media: MediaReference,
  options: DownloadOptions,
): Promise<InboundMessage> {
  if (media.bytes > options.maxBytes) return withoutMedia(message, 'too_large');
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return { ...message, content: toContent(media, await download(media, options)) };
    } catch (error) {
      if (error instanceof MediaTooLarge) return withoutMedia(message, 'too_large');
      options.warn(
        `media could not be downloaded: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return withoutMedia(message, 'unavailable');
}

const withoutMedia = (
  message: InboundMessage,
  missingMedia: 'too_large' | 'unavailable',
): InboundMessage => ({ ...message, details: { ...message.details, missingMedia } });

async function download(media: MediaReference, { maxBytes, isFake }: DownloadOptions): Promise<Buffer> {
  const { mediaKey, directPath, url, keyType, sha256 } = media;
  if (!directPath.startsWith('/')) throw new Error('the message has no path of its media');
  const stream = await downloadContentFromMessage({ mediaKey, directPath }, keyType, {
    host: isFake && isLoopback(url) ? new URL(url).host : mediaHost,
    options: { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' },
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    // The library's stream contains bytes only.
    const bytes = part as Uint8Array;
    size += bytes.length;
    if (size > maxBytes) {
      stream.destroy();
      throw new MediaTooLarge('the media exceed the limit');
    }
    parts.push(bytes);
  }
  const bytes = Buffer.concat(parts);
  const digest = createHash('sha256').update(bytes).digest();
  if (sha256.length !== digest.length || !timingSafeEqual(digest, sha256))
    throw new Error('the media differ from their digest');
  return bytes;
}

const isLoopback = (url: string): boolean =>
  URL.canParse(url) && ['localhost', '127.0.0.1'].includes(new URL(url).hostname);

/** Videos and other audio are stored as documents, stickers as images. `details` names their type. */
function toContent(media: MediaReference, bytes: Buffer): MessageContent {
  const { type, mimeType, caption, fileName, seconds, waveform } = media;
  switch (type) {
    case 'image':
    case 'sticker':
      return { kind: 'image', mimeType, bytes, caption };
    case 'voice note':
      return { kind: 'voice', mimeType, bytes, seconds, waveform };
    case 'document':
    case 'video':
    case 'audio':
      return { kind: 'document', mimeType, bytes, fileName: fileName || type, caption };
  }
}
