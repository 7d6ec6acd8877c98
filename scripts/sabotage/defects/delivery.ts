// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const file = 'server/src/chat/messages/outbox.queries.ts';
const lifecycle = {
  file: 'server/test/models/lifecycle.reliability.test.ts',
  name: 'no message reaches a status that the delivery contract forbids',
};

/** From the outbox to the network. */
export const deliveryDefects: readonly Defect[] = [
  {
    name: 'load-all-media-of-a-device',
    file: 'server/src/chat/messages/outbox.queries.ts',
    find: 'limit up.media_room for update',
    replace: 'limit up.room for update',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'claims no more messages with media than there is room for',
    },
    why: 'A few devices of one team could fill the memory of a pool with images, and end the connections of all its devices.',
  },
  {
    name: 'refuse-without-a-fence',
    file,
    find: "and attempts = ${message.attempts} and status = 'accepted' and not refunded",
    replace: "and status = 'accepted' and not refunded",
    test: { file: lifecycle.file, name: 'a refusal reported by a former owner does not affect' },
    why: 'A pool that lost the device could refund a message that its successor is sending.',
  },
  {
    name: 'refund-messages-that-were-sent',
    file,
    find: 'case when m.attempts = 0 then m.charged_month end as charged_month',
    replace: 'm.charged_month',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'ends the messages of a deleted device',
    },
    why: 'Deleting a device would refund messages that may have arrived.',
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
    name: 'shuffle-the-parts-of-an-answer',
    file,
    find: 'order by part.position`',
    replace: 'order by part.position desc`',
    test: {
      file: 'server/src/chat/answering/answering.test.ts',
      name: 'sends paragraphs as separate messages, in order',
    },
    why: 'The paragraphs of an answer would arrive in the wrong order.',
  },
  {
    name: 'retry-forever',
    file,
    find: '> ${retryDelays.length}',
    replace: '> 1000',
    test: {
      file: lifecycle.file,
      name: 'a message has at most four delivery attempts if all its pools die, then status unknown',
    },
    why: 'A message whose pools die would be sent again and again.',
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
    name: 'refund-every-refusal',
    file: 'server/src/chat/messages/outbox.ts',
    find: "const certain = attempts === 1 || failure === 'recipient_unknown';",
    replace: 'const certain = attempts > 0;',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'does not refund after the refusal of a retry',
    },
    why: 'A message that arrived with its first delivery attempt would be refunded.',
  },
  {
    name: 'acknowledge-locked-messages-together',
    file: 'server/src/chat/messages/delivery-status.queries.ts',
    find: 'for no key update of m skip locked',
    replace: 'for no key update of m',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'locked messages delay no acknowledgement and no receipt of another team',
    },
    why: "One team's locked message would delay the sends of all teams on the pool.",
  },
  {
    name: 'wait-for-locked-rows-on-every-connection',
    file: 'server/src/platform/shared/grouped-retries.ts',
    find: 'const maxRunningPerGroup = 2;',
    replace: 'const maxRunningPerGroup = 1000;',
    test: {
      file: 'server/src/platform/shared/grouped-retries.test.ts',
      name: 'runs at most two attempts of a group at once, and those of other groups beside them',
    },
    why: "One team's locked rows would use up the database connections of the pool.",
  },
  {
    name: 'refund-locked-months-together',
    file: 'server/src/tenancy/usage/usage.sql.ts',
    find: 'select team_id, charged_month from candidate) for no key update skip locked',
    replace: 'select team_id, charged_month from candidate) for no key update',
    test: {
      file: 'server/src/chat/messages/outbox.test.ts',
      name: 'the sweep does not wait for a locked month of another team',
    },
    why: "One team's locked usage would stop the refunds of all teams and block their sends.",
  },
  {
    name: 'wait-for-a-locked-month-on-every-connection',
    file: 'server/src/chat/messages/send.routes.ts',
    find: 'maxRunning: 4 }',
    replace: 'maxRunning: 1000 }',
    test: {
      file: 'server/src/chat/messages/send-idempotency.test.ts',
      name: 'sends of a team whose month is locked delay no send of another team',
    },
    why: "One team's locked usage would use up the database connections of the api.",
  },
  {
    name: 'plan-each-update-of-statuses',
    file: 'server/src/chat/messages/delivery-status.queries.ts',
    find: "unnest((select ${value('ids')}::uuid[]), (select ${value('states')}::text[]))",
    replace: "unnest(${value('ids')}::uuid[], ${value('states')}::text[])",
    test: {
      file: 'server/test/kept-plans.test.ts',
      name: 'keeps the plans of the statements that every message of the outbox needs',
    },
    why: 'The database would spend more time on planning than on storing, so that a flood slows all teams.',
  },
  {
    name: 'notify-after-the-disk',
    file: 'server/src/platform/database/notifications.ts',
    find: '; set synchronous_commit = off',
    replace: '',
    test: {
      file: 'server/src/platform/database/notifications.test.ts',
      name: 'sends notifications without waiting for the disk',
    },
    why: 'Notifications of all processes would wait for the disk one after another.',
  },
];
