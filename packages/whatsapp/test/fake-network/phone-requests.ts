import { randomBytes } from 'node:crypto';
import {
  aesDecryptGCM,
  aesEncryptGCM,
  assertMediaContent,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  hkdf,
  proto,
} from 'baileys';
import type { HiddenMessage, Phone } from './accounts.ts';

const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: responseType } = proto.Message.ProtocolMessage.Type;

/** The phone's answer to a device that asks for messages by id, or null if it asks for nothing else. */
export function answerPhoneRequest(
  phone: Phone,
  message: proto.IMessage,
  find: (id: string) => HiddenMessage | null,
): proto.IMessage | null {
  const request = message.deviceSentMessage?.message ?? message;
  const requested = request.protocolMessage?.peerDataOperationRequestMessage?.placeholderMessageResendRequest;
  const peerDataOperationResult = (requested ?? []).flatMap(({ messageKey }) => {
    const id = messageKey?.id ?? '';
    const found = find(id);
    if (found === null || found.from === phone) return [];
    const webMessageInfoBytes = proto.WebMessageInfo.encode({
      key: { remoteJid: found.from.address, fromMe: false, id },
      message: found.message,
      messageTimestamp: Math.floor(Date.now() / 1000),
    }).finish();
    return [{ placeholderMessageResendResponse: { webMessageInfoBytes } }];
  });
  if (peerDataOperationResult.length === 0) return null;
  return {
    protocolMessage: {
      type: responseType,
      peerDataOperationRequestResponseMessage: { stanzaId: 'request', peerDataOperationResult },
    },
  };
}

/**
 * The phone's answer to a device that could not download media. Null if the request is not encrypted with the media's key, or
 * names another message or chat. `upload` returns the new path, or null if the phone does not have the media.
 */
export function answerUploadRequest(
  phone: Phone,
  request: BinaryNode,
  { chat, message }: { chat: Phone; message: proto.IMessage },
  upload: (path: string) => string | null,
): BinaryNode | null {
  const { id = '' } = request.attrs;
  const named = getBinaryNodeChild(request, 'rmr');
  const encrypted = getBinaryNodeChild(request, 'encrypt');
  const [ciphertext, iv] = ['enc_p', 'enc_iv'].map((tag) => getBinaryNodeChildBuffer(encrypted, tag));
  const { mediaKey, directPath } = assertMediaContent(message);
  if (!named || !ciphertext || !iv || !mediaKey || !directPath) return null;
  const isRightChat = [chat.jid, chat.lid].includes(named.attrs['jid'] ?? '');
  const key = hkdf(mediaKey, 32, { info: 'WhatsApp Media Retry Notification' });
  const { stanzaId } = proto.ServerErrorReceipt.decode(aesDecryptGCM(ciphertext, key, iv, Buffer.from(id)));
  if (stanzaId !== id || !isRightChat) return null;
  const path = upload(directPath);
  const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;
  const answer = { stanzaId: id, directPath: path, result: path === null ? NOT_FOUND : SUCCESS };
  const answerIv = randomBytes(12);
  const content = aesEncryptGCM(
    proto.MediaRetryNotification.encode(answer).finish(),
    key,
    answerIv,
    Buffer.from(id),
  );
  return {
    tag: 'notification',
    attrs: { id, from: phone.jid, type: 'mediaretry', t: '1' },
    content: [
      {
        tag: 'encrypt',
        attrs: {},
        content: [
          { tag: 'enc_p', attrs: {}, content },
          { tag: 'enc_iv', attrs: {}, content: answerIv },
        ],
      },
      { tag: 'rmr', attrs: named.attrs },
    ],
  };
}
