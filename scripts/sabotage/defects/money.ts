import type { Defect } from '../defect.ts';

const quota = {
  file: 'server/test/models/quota.reliability.test.ts',
  name: 'charges each month for exactly the messages that were accepted and not refused',
};

const messagePrices = {
  file: 'server/src/chat/messages/message-prices.test.ts',
  name: 'prices and counts each delivered message once',
};

/** Charges, refunds, quotas and prices. */
export const moneyDefects: readonly Defect[] = [
  {
    name: 'widen-the-margin-by-one',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: '::bigint * 105 / 100',
    replace: '::bigint * 105 / 100 + 1',
    test: quota,
    why: 'A team could send one message more than its plan and the soft margin allow.',
  },
  {
    name: 'charge-twice',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: 'active_messages = u.active_messages + excluded.active_messages',
    replace: 'active_messages = u.active_messages + 2 * excluded.active_messages',
    test: quota,
    why: 'Every message of a month except the first would cost two.',
  },
  {
    name: 'send-for-a-banned-team',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: 'where allowed and not banned and ready',
    replace: 'where allowed and ready',
    test: quota,
    why: 'A team that is being banned could still send.',
  },
  {
    name: 'read-the-limit-only-before-the-charge',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: 'where u.active_messages::bigint + excluded.active_messages',
    replace: 'where (select max(used) from facts) + excluded.active_messages',
    test: {
      file: 'server/test/faults/send-races.reliability.test.ts',
      name: 'times with a quota of',
    },
    why: 'Concurrent sends would exceed the limit together.',
  },
  {
    name: 'repeat-a-charge-of-unknown-outcome',
    file: 'server/src/chat/messages/accept-batch.ts',
    find: 'if (error instanceof DatabaseNotReached || isConnectionLost(error)) throw error;',
    replace: '',
    test: {
      file: 'server/src/chat/messages/accept-batch.test.ts',
      name: 'does not repeat a statement whose outcome is unknown',
    },
    why: 'A message could be accepted although its sender got an error and sends it again.',
  },
  {
    name: 'refund-twice',
    file: 'server/src/chat/messages/outbox.queries.ts',
    find: " and status = 'accepted' and not refunded",
    replace: '',
    test: quota,
    why: 'A refusal reported twice would be refunded twice.',
  },
  {
    name: 'refund-every-month',
    file: 'server/src/tenancy/usage/usage.sql.ts',
    find: 'where u.team_id = gone.team_id and u.month = gone.charged_month',
    replace: 'where u.team_id = gone.team_id',
    test: quota,
    why: 'A refusal after the turn of the month would be refunded in both months.',
  },
  {
    name: 'take-one-document-too-many',
    file: 'server/src/tenancy/usage/document-quota.sql.ts',
    find: 'used.documents < quota.documents',
    replace: 'used.documents <= quota.documents',
    test: {
      file: 'server/src/knowledge/documents/upload.test.ts',
      name: 'accepts exactly as many concurrent uploads as the document quota allows',
    },
    why: 'Every team could store one document more than its quota.',
  },
  {
    name: 'overdraw-credits',
    file: 'server/src/tenancy/usage/usage.sql.ts',
    find: 'where u.credits + excluded.credits <= (',
    replace: 'where u.credits <= (',
    test: {
      file: 'server/src/chat/answering/answering.test.ts',
      name: 'charges credits exactly under concurrent answers',
    },
    why: 'The last answer of a month could cost more credits than remain.',
  },
  {
    name: 'count-a-price-twice',
    file: 'server/src/chat/messages/delivery-status.queries.ts',
    find: ' and pricing is null returning',
    replace: ' returning',
    test: messagePrices,
    why: 'Statuses that arrive doubled at the same time would cost a team twice.',
  },
  {
    name: 'price-undelivered-messages',
    file: 'server/src/chat/messages/outbox.ts',
    find: "(state === 'delivered' || state === 'read')",
    replace: "state !== 'failed'",
    test: messagePrices,
    why: 'A team would seem to pay for messages that never arrived.',
  },
  {
    name: 'begin-a-price-one-day-late',
    file: 'server/src/tenancy/usage/message-prices.ts',
    find: 'since <= day',
    replace: 'since < day',
    test: {
      file: 'server/src/tenancy/usage/message-prices.test.ts',
      name: 'changes the price at the first second of the day in UTC',
    },
    why: 'The first day of a rate card would have the prices of the card before.',
  },
];
