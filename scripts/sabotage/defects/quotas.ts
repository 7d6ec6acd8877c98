import type { Defect } from '../defect.ts';

const quota = {
  file: 'server/test/models/quota.reliability.test.ts',
  name: 'charges each month for exactly the messages that were accepted and not refused',
};

/** Charges, refunds and quotas. */
export const quotaDefects: readonly Defect[] = [
  {
    name: 'widen-the-margin-by-one',
    file: 'server/src/messages/accept.queries.ts',
    find: '::bigint * 105 / 100',
    replace: '::bigint * 105 / 100 + 1',
    test: quota,
    why: 'A team could send one message more than its plan and the soft margin allow.',
  },
  {
    name: 'charge-twice',
    file: 'server/src/messages/accept.queries.ts',
    find: 'active_messages = u.active_messages + 1',
    replace: 'active_messages = u.active_messages + 2',
    test: quota,
    why: 'Every message of a month except the first would cost two.',
  },
  {
    name: 'send-for-a-banned-team',
    file: 'server/src/messages/accept.queries.ts',
    find: 'where allowed and not banned and ready',
    replace: 'where allowed and ready',
    test: quota,
    why: 'A team that is being banned could still send.',
  },
  {
    name: 'read-the-limit-only-before-the-charge',
    file: 'server/src/messages/accept.queries.ts',
    find: 'where u.active_messages < (select message_limit from facts)',
    replace: 'where (select used < message_limit from facts)',
    test: {
      file: 'server/test/faults/send-races.reliability.test.ts',
      name: 'times with a quota of',
    },
    why: 'Concurrent sends would exceed the limit together.',
  },
  {
    name: 'refund-twice',
    file: 'server/src/messages/outbox.queries.ts',
    find: " and status = 'accepted' and not refunded",
    replace: '',
    test: quota,
    why: 'A refusal reported twice would be refunded twice.',
  },
  {
    name: 'refund-every-month',
    file: 'server/src/usage/usage.sql.ts',
    find: 'where u.team_id = gone.team_id and u.month = gone.charged_month',
    replace: 'where u.team_id = gone.team_id',
    test: quota,
    why: 'A refusal after the turn of the month would be refunded in both months.',
  },
  {
    name: 'count-months-by-local-time',
    file: 'server/src/shared/clock.ts',
    find: 'time.toISOString().slice(0, 7)',
    replace: "time.toLocaleDateString('sv').slice(0, 7)",
    test: {
      file: 'server/src/shared/clock.test.ts',
      name: 'returns the UTC month in every time zone',
    },
    why: 'The month would begin at different times on different machines.',
  },
  {
    name: 'take-one-document-too-many',
    file: 'server/src/usage/document-quota.sql.ts',
    find: 'used.documents < quota.documents',
    replace: 'used.documents <= quota.documents',
    test: {
      file: 'server/src/documents/upload.test.ts',
      name: 'accepts exactly as many concurrent uploads as the document quota allows',
    },
    why: 'Every team could store one document more than its quota.',
  },
  {
    name: 'free-two-accounts',
    file: 'server/src/usage/usage.sql.ts',
    find: 'set accounts = greatest(accounts - 1, 0)',
    replace: 'set accounts = greatest(accounts - 2, 0)',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'stops exactly at the accounts quota, and a deletion frees one account',
    },
    why: 'Deleting a device would free two accounts.',
  },
  {
    name: 'overdraw-credits',
    file: 'server/src/usage/usage.sql.ts',
    find: 'where u.credits + excluded.credits <= (',
    replace: 'where u.credits <= (',
    test: {
      file: 'server/src/answering/answering.test.ts',
      name: 'charges credits exactly under concurrent answers',
    },
    why: 'The last answer of a month could cost more credits than remain.',
  },
];
