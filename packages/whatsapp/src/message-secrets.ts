import { createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { jidNormalizedUser, proto } from 'baileys';
import { type ReadContent, readId, text } from './content-text.ts';
import { readContent } from './inbound-content.ts';
import type { StateEntry, StoredState } from './stored-state.ts';

/**
 * The secret of a message encrypts what people later do with it: edits, votes, replies to events. Each is kept in the slot that its
 * message's id selects, so a device has at most this many, and new ones replace old ones. Polls are few and stay relevant for longer.
 */
const slots = { secret: 1024, poll: 256 };
const kind = 'inbox';

interface StoredSecret {
  id: string;
  secret: string;
  /** Of a poll. A vote has only their digests. */
  options?: string[];
}

/** The addresses of a chat's two sides. Devices derive keys from either address of a person. */
export interface ChatSides {
  contact: readonly string[];
  me: readonly string[];
  fromMe: boolean;
}

const slotOf = (id: string, type: keyof typeof slots): string =>
  `${type}:${createHash('sha256').update(id).digest().readUInt32BE() % slots[type]}`;

/** Returns what to store of a message, or null. */
export function toSecretEntry(id: string, message: proto.IMessage): StateEntry | null {
  const inner = message.deviceSentMessage?.message ?? message;
  const secret = (inner.messageContextInfo ?? message.messageContextInfo)?.messageSecret;
  if (!secret || secret.length !== secretBytes) return null;
  const poll = readContent(inner)?.details;
  const isPoll = poll?.type === 'poll';
  const value: StoredSecret = {
    id,
    secret: Buffer.from(secret).toString('base64'),
    ...(isPoll && poll.options && { options: poll.options }),
  };
  return { kind, id: slotOf(id, isPoll ? 'poll' : 'secret'), value };
}

const secretBytes = 32;

async function findSecret(
  state: Pick<StoredState, 'read'>,
  id: string | null | undefined,
  type: keyof typeof slots,
): Promise<StoredSecret | null> {
  if (!id) return null;
  // Only `toSecretEntry` writes these entries.
  const stored = (await state.read(kind, slotOf(id, type))) as StoredSecret | undefined;
  return stored?.id === id ? stored : null;
}

/** Reads content that is encrypted with the secret of another message. Returns null for other content, and if the secret is unknown. */
export async function openSecret(
  message: proto.IMessage,
  state: Pick<StoredState, 'read'>,
  sides: ChatSides,
): Promise<ReadContent | null> {
  const { secretEncryptedMessage: changed, pollUpdateMessage: vote } = message;
  const { encReactionMessage: reaction, encCommentMessage: comment } = message;
  const { encEventResponseMessage: response } = message;
  if (changed) return openChange(changed, state, sides);
  if (vote) return openVote(vote, state, sides);
  if (reaction) {
    const plain = await open('Enc Reaction', reaction, reaction.targetMessageKey, state, sides);
    const key = reaction.targetMessageKey ?? null;
    return plain && readContent({ reactionMessage: { ...proto.Message.ReactionMessage.decode(plain), key } });
  }
  if (comment) {
    const plain = await open('Enc Comment', comment, comment.targetMessageKey, state, sides);
    const targetMessageKey = comment.targetMessageKey ?? null;
    return (
      plain && readContent({ commentMessage: { message: proto.Message.decode(plain), targetMessageKey } })
    );
  }
  if (!response) return null;
  const plain = await open('Event Response', response, response.eventCreationMessageKey, state, sides);
  if (plain === null) return null;
  const decoded = proto.Message.EventResponseMessage.decode(plain);
  const words = eventReplies[decoded.response ?? 0] ?? 'reply to an event';
  return text(`[${words}]`, { type: 'event_reply', ...readId(response.eventCreationMessageKey) });
}

const eventReplies = [
  'reply to an event',
  'takes part in the event',
  'does not take part in the event',
  'may take part in the event',
];

const { EVENT_EDIT, MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

async function openChange(
  changed: proto.Message.ISecretEncryptedMessage,
  state: Pick<StoredState, 'read'>,
  sides: ChatSides,
): Promise<ReadContent | null> {
  const { secretEncType: type, targetMessageKey: key } = changed;
  const use = type === MESSAGE_EDIT ? 'Message Edit' : type === EVENT_EDIT ? 'Event Edit' : null;
  const plain = use && (await open(use, changed, key, state, sides));
  if (!plain) return null;
  const decoded = proto.Message.decode(plain);
  const edit = decoded.editedMessage?.message?.protocolMessage ?? decoded.protocolMessage;
  const editedMessage = edit?.editedMessage ?? decoded;
  const protocolMessage = {
    key: key ?? null,
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage,
  };
  return readContent({ protocolMessage });
}

async function openVote(
  { vote, pollCreationMessageKey: key }: proto.Message.IPollUpdateMessage,
  state: Pick<StoredState, 'read'>,
  sides: ChatSides,
): Promise<ReadContent | null> {
  const poll = await findSecret(state, key?.id, 'poll');
  const plain = vote && poll && decrypt('Poll Vote', vote, poll, sides);
  if (!plain || poll.options === undefined) return null;
  const chosen = new Set(
    (proto.Message.PollVoteMessage.decode(plain).selectedOptions ?? []).map((digest) =>
      Buffer.from(digest).toString('hex'),
    ),
  );
  const options = poll.options.filter((name) => chosen.has(createHash('sha256').update(name).digest('hex')));
  const words =
    options.length === 0 ? '[took back a vote in a poll]' : `[vote in a poll: ${options.join(', ')}]`;
  return text(words, { type: 'poll_vote', options, ...readId(key) });
}

interface Encrypted {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

async function open(
  use: string,
  encrypted: Encrypted,
  key: proto.IMessageKey | null | undefined,
  state: Pick<StoredState, 'read'>,
  sides: ChatSides,
): Promise<Buffer | null> {
  const secret = await findSecret(state, key?.id, 'secret');
  return secret && decrypt(use, encrypted, secret, sides);
}

/** The uses whose ciphertexts authenticate the message and the sender. */
const authenticated: ReadonlySet<string> = new Set(['Poll Vote', 'Event Response']);
const tagBytes = 16;

/** Returns null if no pair of addresses gives the key. */
function decrypt(
  use: string,
  { encPayload, encIv }: Encrypted,
  { id, secret }: StoredSecret,
  { contact, me, fromMe }: ChatSides,
): Buffer | null {
  if (!encPayload || !encIv || encPayload.length < tagBytes) return null;
  const senders = (fromMe ? me : contact).map((jid) => jidNormalizedUser(jid));
  const authors = [...contact, ...me].map((jid) => jidNormalizedUser(jid));
  for (const sender of new Set(senders)) {
    for (const author of new Set(authors)) {
      const info = `${id}${author}${sender}${use}`;
      const key = Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', info, 32));
      const decipher = createDecipheriv('aes-256-gcm', key, encIv);
      decipher.setAuthTag(encPayload.subarray(-tagBytes));
      if (authenticated.has(use)) decipher.setAAD(Buffer.from(`${id}\0${sender}`));
      try {
        return Buffer.concat([decipher.update(encPayload.subarray(0, -tagBytes)), decipher.final()]);
      } catch {
        // The other addresses may fit.
      }
    }
  }
  return null;
}
