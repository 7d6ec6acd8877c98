import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundMessage, MessageContent } from '@parley/server/messaging-network';
import { aesDecryptWithIV, DEFAULT_ORIGIN, getMediaKeys } from 'baileys';
import type { MediaReference } from './media-reference.ts';

/** The sender names another host in the message, which must not be used. */
const mediaHost = 'mmg.whatsapp.net';
const attempts = 3;
const pauseMs = 500;
/** The host appends a code of 10 bytes, and the encryption up to 16. */
const encryptionBytes = 26;
/** The host deletes media, and the signature of their path expires. */
const goneStatuses: ReadonlySet<number> = new Set([403, 404, 410]);

export interface DownloadOptions {
  maxBytes: number;
  /** The network of the tests has its own host. */
  isFake: boolean;
  /** The download ends when it aborts. */
  signal: AbortSignal;
  /** Asks the phone to upload the media again. Returns their new path. */
  requestUpload(): Promise<string>;
  warn(why: string): void;
}

class MediaTooLarge extends Error {
  override readonly name = 'MediaTooLarge';
}

class MediaGone extends Error {
  override readonly name = 'MediaGone';
}

/** Replaces the description of media by their bytes. Keeps the description if they are too large or unavailable. */
export async function downloadMedia(
  message: InboundMessage,
  media: MediaReference,
  options: DownloadOptions,
): Promise<InboundMessage> {
  if (media.bytes > options.maxBytes) return withoutMedia(message, 'too_large');
  try {
    return { ...message, content: toContent(media, await downloadRepeatedly(media, options)) };
  } catch (error) {
    if (error instanceof MediaTooLarge) return withoutMedia(message, 'too_large');
    options.warn(`media could not be downloaded: ${describe(error)}`);
    return withoutMedia(message, 'unavailable');
  }
}

export const withoutMedia = (
  message: InboundMessage,
  missingMedia: 'too_large' | 'unavailable',
): InboundMessage => ({ ...message, details: { ...message.details, missingMedia } });

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function downloadRepeatedly(media: MediaReference, options: DownloadOptions): Promise<Buffer> {
  const { signal, warn } = options;
  let { directPath } = media;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await download({ ...media, directPath }, options);
    } catch (error) {
      if (signal.aborted || error instanceof MediaTooLarge || attempt === attempts) throw error;
      warn(`a download of media failed: ${describe(error)}`);
      if (!(error instanceof MediaGone)) await delay(pauseMs * attempt, undefined, { signal });
      // The phone does not upload them twice.
      else if (directPath === media.directPath) directPath = await options.requestUpload();
      else throw error;
    }
  }
}

async function download(media: MediaReference, options: DownloadOptions): Promise<Buffer> {
  const { mediaKey, keyType, sha256 } = media;
  const { cipherKey, iv } = await getMediaKeys(mediaKey, keyType);
  const encrypted = await fetchEncrypted(media, options);
  const bytes = aesDecryptWithIV(encrypted.subarray(0, -10), cipherKey, iv);
  if (bytes.length > options.maxBytes) throw new MediaTooLarge('the media exceed the limit');
  const digest = createHash('sha256').update(bytes).digest();
  if (sha256.length !== digest.length || !timingSafeEqual(digest, sha256))
    throw new Error('the media differ from their digest');
  return bytes;
}

/**
 * The library's download ignores signals, limits and `redirect`. The host is fixed and its certificate proves it, so no message
 * can direct the request elsewhere.
 */
async function fetchEncrypted(
  { directPath, url }: MediaReference,
  { maxBytes, isFake, signal }: DownloadOptions,
): Promise<Buffer> {
  if (!directPath.startsWith('/')) throw new Error('the message has no path of its media');
  const host = isFake && isLoopback(url) ? new URL(url).host : mediaHost;
  const response = await fetch(`https://${host}${directPath}`, {
    headers: { origin: DEFAULT_ORIGIN },
    redirect: 'error',
    signal,
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    const why = `the host responded with status ${response.status}`;
    throw goneStatuses.has(response.status) ? new MediaGone(why) : new Error(why);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.length;
    if (size > maxBytes + encryptionBytes) throw new MediaTooLarge('the media exceed the limit');
    parts.push(part);
  }
  return Buffer.concat(parts);
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
