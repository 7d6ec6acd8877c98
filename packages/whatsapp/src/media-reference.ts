import type { MediaType, proto } from 'baileys';

/** Everything that a later download needs. Kept in the session state. */
export interface MediaReference {
  type: 'image' | 'video' | 'sticker' | 'audio' | 'voice note' | 'document';
  /** Selects the keys of the encryption. */
  keyType: MediaType;
  mediaKey: Uint8Array;
  directPath: string;
  /** Only tests use its host. */
  url: string;
  sha256: Uint8Array;
  bytes: number;
  mimeType: string;
  caption: string;
  fileName: string;
  seconds: number;
  waveform: Uint8Array;
  /** The message, as the phone knows it. Earlier versions stored references without it. */
  source?: { id: string; chat: string; fromMe: boolean };
}

type Sent = Pick<
  proto.Message.IImageMessage,
  'url' | 'directPath' | 'mediaKey' | 'fileSha256' | 'mimetype' | 'fileLength'
>;

export function readMedia(message: proto.IMessage): MediaReference | null {
  const { imageMessage, videoMessage, ptvMessage, stickerMessage, audioMessage, documentMessage } = message;
  const video = videoMessage ?? ptvMessage;
  if (imageMessage) return toReference('image', 'image', imageMessage, { caption: imageMessage.caption });
  if (video) return toReference('video', 'video', video, { caption: video.caption });
  if (stickerMessage) return toReference('sticker', 'sticker', stickerMessage, {});
  if (audioMessage?.ptt) return toReference('voice note', 'ptt', audioMessage, audioMessage);
  if (audioMessage) return toReference('audio', 'audio', audioMessage, audioMessage);
  if (documentMessage) return toReference('document', 'document', documentMessage, documentMessage);
  return null;
}

interface Extras {
  caption?: string | null | undefined;
  fileName?: string | null | undefined;
  seconds?: number | null | undefined;
  waveform?: Uint8Array | null | undefined;
}

const toReference = (
  type: MediaReference['type'],
  keyType: MediaType,
  sent: Sent,
  { caption, fileName, seconds, waveform }: Extras,
): MediaReference => ({
  type,
  keyType,
  mediaKey: sent.mediaKey ?? new Uint8Array(),
  directPath: sent.directPath ?? '',
  url: sent.url ?? '',
  sha256: sent.fileSha256 ?? new Uint8Array(),
  bytes: Number(sent.fileLength ?? 0),
  mimeType: sent.mimetype ?? 'application/octet-stream',
  caption: caption ?? '',
  fileName: fileName ?? '',
  seconds: seconds ?? 0,
  waveform: waveform ?? new Uint8Array(),
});
