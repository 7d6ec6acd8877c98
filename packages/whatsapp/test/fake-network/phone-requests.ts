import { proto } from 'baileys';
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
