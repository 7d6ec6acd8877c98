import { decryptMediaRetryData, encryptMediaRetryRequest, proto, type WASocket } from 'baileys';
import type { MediaReference } from './media-reference.ts';

const { ResultType } = proto.MediaRetryNotification;

/**
 * Asks the phone to upload media again that the host has deleted. Returns their new path. Rejects if the phone does not have
 * them, or when the signal aborts. The library's own request would wait for a phone without a connection forever.
 */
export async function requestUpload(
  socket: Pick<WASocket, 'ev' | 'sendNode' | 'user'>,
  { mediaKey, source }: MediaReference,
  signal: AbortSignal,
): Promise<string> {
  if (source === undefined || socket.user === undefined) throw new Error('the chat of the media is unknown');
  const { id, chat: remoteJid, fromMe } = source;
  const answer = Promise.withResolvers<string>();
  const abort = () => answer.reject(signal.reason);
  const receive = (updates: Parameters<typeof readAnswer>[0][]) => {
    const update = updates.find(({ key }) => key.id === id);
    if (update === undefined) return;
    try {
      answer.resolve(readAnswer(update, mediaKey));
    } catch (error) {
      answer.reject(error);
    }
  };
  signal.throwIfAborted();
  socket.ev.on('messages.media-update', receive);
  signal.addEventListener('abort', abort, { once: true });
  // If the request cannot be sent, nothing awaits the answer.
  answer.promise.catch(() => undefined);
  try {
    await socket.sendNode(encryptMediaRetryRequest({ id, remoteJid, fromMe }, mediaKey, socket.user.id));
    return await answer.promise;
  } finally {
    socket.ev.off('messages.media-update', receive);
    signal.removeEventListener('abort', abort);
  }
}

function readAnswer(
  { key, media, error }: { key: { id?: string | null }; media?: Encrypted; error?: Error },
  mediaKey: Uint8Array,
): string {
  if (media === undefined) throw error ?? new Error('the phone sent no path');
  const { result, directPath } = decryptMediaRetryData(media, mediaKey, key.id ?? '');
  if (result !== ResultType.SUCCESS || !directPath)
    throw new Error(`the phone did not upload the media again: ${ResultType[result ?? 0]}`);
  return directPath;
}

interface Encrypted {
  ciphertext: Uint8Array;
  iv: Uint8Array;
}
