import type { proto } from 'baileys';
import type { MediaServer } from './media-server.ts';

export interface ReceivedContent {
  kind: string;
  text: string | null;
  bytes: number | null;
  /** Seconds after which the message disappears, if its sender set a timer. */
  timer?: number;
}

/** Downloads the media of a message, as the phone of its recipient does. Returns null for other messages. */
export async function countMediaBytes(
  message: proto.IMessage,
  { download }: Pick<MediaServer, 'download'>,
): Promise<number | null> {
  const { imageMessage: image, audioMessage: audio } = message;
  const document = message.documentMessage ?? message.documentWithCaptionMessage?.message?.documentMessage;
  const media = image ?? audio ?? document;
  if (!media?.mediaKey || !media.directPath) return null;
  const type = image ? 'image' : document ? 'document' : audio?.ptt ? 'ptt' : 'audio';
  const { mediaKey, directPath } = media;
  return (await download({ mediaKey, directPath }, type)).length;
}

/** How a phone shows a message. */
export function describeMessage(message: proto.IMessage): ReceivedContent {
  const timer = readTimer(message);
  return { ...describeContent(message), ...(timer ? { timer } : {}) };
}

function readTimer(message: proto.IMessage): number | null | undefined {
  const { extendedTextMessage, imageMessage, audioMessage, documentMessage } =
    message.documentWithCaptionMessage?.message ?? message;
  const part = extendedTextMessage ?? imageMessage ?? audioMessage ?? documentMessage;
  return part?.contextInfo?.expiration;
}

function describeContent(message: proto.IMessage): ReceivedContent {
  const { imageMessage: image, audioMessage: audio, documentMessage: document } = message;
  if (image) return { kind: 'image', text: image.caption || null, bytes: Number(image.fileLength) };
  if (audio) return { kind: audio.ptt ? 'voice' : 'audio', text: null, bytes: Number(audio.fileLength) };
  const file = document ?? message.documentWithCaptionMessage?.message?.documentMessage;
  if (file)
    return { kind: 'document', text: file.caption || file.fileName || null, bytes: Number(file.fileLength) };
  return { kind: 'text', text: message.extendedTextMessage?.text ?? message.conversation ?? '', bytes: null };
}
