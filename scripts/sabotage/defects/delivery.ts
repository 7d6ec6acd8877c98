// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const file = 'server/src/chat/messages/outbox.queries.ts';

const lifecycle = {
  file: 'server/test/models/lifecycle.reliability.test.ts',
  name: 'no message reaches a status that the delivery contract forbids',
};

/** Sending each message once, under its fence. */
export const deliveryDefects: readonly Defect[] = [
  {
    name: 'refuse-without-a-fence',
    file,
    find: "and attempts = ${message.attempts} and status = 'accepted' and not refunded",
    replace: "and status = 'accepted' and not refunded",
    test: { file: lifecycle.file, name: 'a refusal reported by a former owner does not affect' },
    why: 'A pool that lost the device could refund a message that its successor is sending.',
  },
  {
    name: 'send-out-of-order',
    file,
    find: 'and earlier.contact_number = o.contact_number and earlier.seq < o.seq)',
    replace: 'and earlier.contact_number = o.contact_number and earlier.seq > o.seq)',
    test: lifecycle,
    why: 'A chat would receive the latest message first.',
  },
  {
    name: 'claim-a-claimed-message',
    file,
    find: 'or ${sql.ref(`${message}.claim_epoch`)} < ${sql.ref(`${owner}.epoch`)}))',
    replace: 'or ${sql.ref(`${message}.claim_epoch`)} <= ${sql.ref(`${owner}.epoch`)}))',
    test: lifecycle,
    why: 'A message would be sent again during its first delivery attempt.',
  },
  {
    name: 'retry-under-another-id',
    file: 'server/src/chat/messages/delivery-attempt.ts',
    find: 'networkId: index === 0 ? row.network_id :',
    replace: 'networkId: index === 0 ? `${row.network_id}${row.attempts}` :',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'retries an unknown outcome three times, then marks it unknown without a refund',
    },
    why: 'The network could not recognize a retry, and the phone would show the message twice.',
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
];
