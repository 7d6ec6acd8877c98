import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { hkdf, proto } from 'baileys';
import type { Phone } from './accounts.ts';

/** A message with the secret that every phone adds. */
export const withSecret = (message: proto.IMessage): proto.IMessage =>
  message.protocolMessage || message.reactionMessage || message.messageContextInfo?.messageSecret
    ? message
    : { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret: randomBytes(32) } };

interface Target {
  id: string;
  author: Phone;
  message: proto.IMessage;
}

function encrypt(use: string, plain: Uint8Array, sender: Phone, { id, author, message }: Target) {
  const secret = message.messageContextInfo?.messageSecret;
  if (!secret) throw new Error('the message has no secret');
  const key = hkdf(secret, 32, { info: `${id}${author.address}${sender.address}${use}` });
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, encIv);
  if (use === 'Poll Vote') cipher.setAAD(Buffer.from(`${id}\0${sender.address}`));
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv };
}

const keyOf = (sender: Phone, { id, author }: Target): proto.IMessageKey => ({
  id,
  remoteJid: author.address,
  fromMe: author === sender,
});

/** How apps send edits since May 2026. */
export function encryptEdit(sender: Phone, target: Target, text: string): proto.IMessage {
  const key = keyOf(sender, target);
  const protocolMessage = { key, type: 14, editedMessage: { conversation: text } };
  const encrypted = encrypt(
    'Message Edit',
    proto.Message.encode({ protocolMessage }).finish(),
    sender,
    target,
  );
  return { secretEncryptedMessage: { ...encrypted, targetMessageKey: key, secretEncType: 2 } };
}

export function encryptVote(sender: Phone, target: Target, options: readonly string[]): proto.IMessage {
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest());
  const vote = encrypt(
    'Poll Vote',
    proto.Message.PollVoteMessage.encode({ selectedOptions }).finish(),
    sender,
    target,
  );
  return { pollUpdateMessage: { vote, pollCreationMessageKey: keyOf(sender, target) } };
}
