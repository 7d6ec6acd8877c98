import type { Defect } from '../defect.ts';

/** Encryption, restrictions and contacts of linked devices. */
export const linkedDeviceDefects: readonly Defect[] = [
  {
    name: 'renew-valid-encryption-sessions',
    file: 'packages/whatsapp/src/client-socket.ts',
    find: "use === 'send' && (await repository.validateSession(jid)).exists;",
    replace: 'false;',
    test: {
      file: 'packages/whatsapp/src/crossing-messages.reliability.test.ts',
      name: 'can all be decrypted with the encryption sessions from before, with addresses of kind',
    },
    why: 'Each restart would begin a session with each contact, and each message would store up to 40 of them.',
  },
  {
    name: 'try-all-encryption-sessions',
    file: 'packages/whatsapp/src/signal-repository.ts',
    find: '? decryptWithOneSession(message, { keys, repository })',
    replace: '? repository.decryptMessage(message)',
    test: {
      file: 'packages/whatsapp/src/signal-repository.test.ts',
      name: 'are readable when a new session reaches a contact whose message with the older one is under way',
    },
    why: 'A message of an older session would damage the newer one, and later messages could not be decrypted.',
  },
  {
    name: 'forget-awaited-placeholders',
    file: 'packages/whatsapp/src/placeholders.ts',
    find: 'await this.#state.write([this.toStateEntry()]);',
    replace: '',
    test: {
      file: 'packages/whatsapp/src/unreadable-messages.reliability.test.ts',
      name: 'requests a message from the phone again after a restart, until the phone answers',
    },
    why: 'A restart would lose the first message after an advertisement.',
  },
  {
    name: 'never-send-a-requested-message-again',
    file: 'packages/whatsapp/src/client-socket.ts',
    find: "getMessage: ({ id }) => findSent(id ?? ''),",
    replace: 'getMessage: async () => undefined,',
    test: {
      file: 'packages/whatsapp/src/unreadable-messages.reliability.test.ts',
      name: 'sends a message again after a restart',
    },
    why: 'A contact who could not decrypt a message would never read it.',
  },
  {
    name: 'try-every-new-chat-of-a-restricted-account',
    file: 'packages/whatsapp/src/new-chats.ts',
    find: "if (this.#restrictedUntil > Date.now()) throw new SendRefused('device_restricted');",
    replace: '',
    test: {
      file: 'packages/whatsapp/src/new-chats.reliability.test.ts',
      name: 'tries one new chat only, and those that wait for it are not sent',
    },
    why: 'Further attempts prolong the restriction of the account.',
  },
  {
    name: 'charge-new-chats-of-a-restricted-device',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: 'where allowed and not banned and ready and not is_restricted and',
    replace: 'where allowed and not banned and ready and',
    test: {
      file: 'server/src/chat/messages/restricted-sends.test.ts',
      name: 'refuses and refunds the first new chat, then rejects others before the charge, with the end',
    },
    why: 'Messages that the network refuses would be accepted and charged.',
  },
  {
    name: 'split-the-chat-of-a-contact-whose-number-became-known',
    file: 'server/src/chat/conversations/contacts.ts',
    find: 'await moveConversation(tx, owner, merged, contact);',
    replace: '',
    test: {
      file: 'server/src/chat/conversations/contacts.test.ts',
      name: 'names a contact without a number by its id, and moves the chat when the number becomes known',
    },
    why: 'One contact would have two conversations.',
  },
  {
    name: 'download-media-from-the-host-in-the-message',
    file: 'packages/whatsapp/src/media-download.ts',
    find: 'const host = isFake && isLoopback(url) ? new URL(url).host : mediaHost;',
    replace: 'const { host } = new URL(url);',
    test: {
      file: 'packages/whatsapp/src/media-download.test.ts',
      name: 'ignores the host in a message',
    },
    why: 'A contact could make the pool send requests to any host.',
  },
  {
    name: 'answer-reactions',
    file: 'server/src/chat/conversations/inbound.ts',
    find: 'silent: silent || needsNoAnswer(message),',
    replace: 'silent,',
    test: {
      file: 'server/src/chat/conversations/inbound.test.ts',
      name: 'refers to it by its id and does not ask for an answer',
    },
    why: 'A bot would answer each reaction to its own answer.',
  },
  {
    name: 'send-before-the-keys-are-stored',
    file: 'packages/whatsapp/src/client-socket.ts',
    find: "if (session !== undefined) await state.write([{ kind: 'session', id, value: session }]);",
    replace: '',
    test: {
      file: 'packages/whatsapp/src/interrupted-session.reliability.test.ts',
      name: 'stores the keys of a message before it sends it',
    },
    why: 'If a pool is killed while it sends, the next messages of the contact could not be decrypted.',
  },
  {
    name: 'remember-a-key-that-was-replaced',
    file: 'packages/whatsapp/src/key-cache.ts',
    find: '&& changes === this.#changes',
    replace: '',
    test: {
      file: 'packages/whatsapp/src/stored-state.test.ts',
      name: 'does not remember a value that was replaced while it was read',
    },
    why: 'A device would go on with an old encryption session, and its contacts could not read its messages.',
  },
  {
    name: 'confirm-receipts-before-they-are-stored',
    file: 'packages/whatsapp/src/socket-events.ts',
    find: 'events.receipt(stanza).then(',
    replace: 'Promise.resolve(void events.receipt(stanza).catch(() => undefined)).then(',
    test: {
      file: 'packages/whatsapp/src/receipts.reliability.test.ts',
      name: 'are confirmed after the pool has stored all messages that they name, and arrive again until then',
    },
    why: 'A pool that stops would lose receipts, and delivered messages would stay sent.',
  },
  {
    name: 'ignore-late-refusals',
    file: 'packages/whatsapp/src/message-sender.ts',
    find: "if (isOverdue && attrs['error'] !== undefined) this.#refusedLate(id);",
    replace: '',
    test: {
      file: 'packages/whatsapp/src/receipts.reliability.test.ts',
      name: 'report a refusal that arrives after the send was aborted',
    },
    why: 'A message that the network refused would stay charged.',
  },
  {
    name: 'refund-after-the-late-refusal-of-a-retry',
    file: 'server/src/chat/messages/outbox.queries.ts',
    find: 'and attempts <= 1 and not refunded',
    replace: 'and not refunded',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'refunds after a late refusal of the only attempt, but not of a retry or of a held message',
    },
    why: 'A message whose first attempt succeeded would be refunded.',
  },
];
