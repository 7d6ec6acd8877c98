import type { Defect } from '../defect.ts';

const quota = {
  file: 'server/test/models/quota.test.ts',
  name: 'each month is charged exactly what was accepted and not refused',
};

/** What is charged, given back and refused. */
export const quotaDefects: readonly Defect[] = [
  {
    name: 'widen-the-margin-by-one',
    file: 'server/src/messages/accept.queries.ts',
    find: '::bigint * 105 / 100',
    replace: '::bigint * 105 / 100 + 1',
    test: quota,
    why: 'A team could send one message more than its plan and the margin allow.',
  },
  {
    name: 'charge-twice',
    file: 'server/src/messages/accept.queries.ts',
    find: 'active_messages = u.active_messages + 1',
    replace: 'active_messages = u.active_messages + 2',
    test: quota,
    why: 'Every message but the first of a month would cost two.',
  },
  {
    name: 'send-for-a-banned-team',
    file: 'server/src/messages/accept.queries.ts',
    find: 'where allowed and not banned and ready',
    replace: 'where allowed and ready',
    test: quota,
    why: 'A team that is banned in this moment could still send.',
  },
  {
    name: 'read-the-limit-only-before-the-charge',
    file: 'server/src/messages/accept.queries.ts',
    find: 'where u.active_messages < (select message_limit from facts)',
    replace: 'where (select used < message_limit from facts)',
    test: {
      file: 'server/test/faults/send-races.test.ts',
      name: 'times where the month has',
    },
    why: 'Sends at once would get past the limit together.',
  },
  {
    name: 'refund-twice',
    file: 'server/src/messages/outbox.queries.ts',
    find: " and status = 'accepted' and not refunded",
    replace: '',
    test: quota,
    why: 'A refusal told twice would be given back twice.',
  },
  {
    name: 'refund-every-month',
    file: 'server/src/messages/outbox.queries.ts',
    find: 'where u.team_id = gone.team_id and u.month = gone.charged_month',
    replace: 'where u.team_id = gone.team_id',
    test: quota,
    why: 'A refusal after the turn of the month would be given back in both months.',
  },
  {
    name: 'count-months-by-local-time',
    file: 'server/src/shared/clock.ts',
    find: 'time.toISOString().slice(0, 7)',
    replace: "time.toLocaleDateString('sv').slice(0, 7)",
    test: {
      file: 'server/src/shared/clock.test.ts',
      name: 'the month is that of UTC, whatever the time zone of the process',
    },
    why: 'The month would turn at another hour on another machine.',
  },
  {
    name: 'take-one-document-too-many',
    file: 'server/src/documents/document-quota.queries.ts',
    find: 'used.documents < quota.documents',
    replace: 'used.documents <= quota.documents',
    test: {
      file: 'server/src/documents/upload.test.ts',
      name: 'of twenty uploads at once, exactly as many get through as there is room for documents',
    },
    why: 'Every team would have one document more than its quota.',
  },
  {
    name: 'give-two-accounts-back',
    file: 'server/src/devices/devices.queries.ts',
    find: 'set accounts = greatest(accounts - 1, 0)',
    replace: 'set accounts = greatest(accounts - 2, 0)',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'is up to the quota of accounts, exactly, and a deletion gives one back',
    },
    why: 'Deleting devices would make room for more than there were.',
  },
  {
    name: 'overdraw-credits',
    file: 'server/src/answering/completion.queries.ts',
    find: 'where u.credits + excluded.credits <= (',
    replace: 'where u.credits <= (',
    test: {
      file: 'server/src/answering/answering.test.ts',
      name: 'credits are exact, however many answers are made at once',
    },
    why: 'The last answer of a month could cost more credits than are left.',
  },
  {
    name: 'take-files-of-any-size',
    file: 'server/src/documents/upload-parts.ts',
    find: 'else if (!(await receiveFile(part, received, room))) throw fileTooLarge(maxBytes);',
    replace: 'else await receiveFile(part, received, Number.MAX_SAFE_INTEGER);',
    test: {
      file: 'server/src/documents/upload.test.ts',
      name: 'a file of exactly the limit is taken, one byte more is refused and the connection lives on',
    },
    why: 'A file of any size would be read into memory.',
  },
  {
    name: 'delete-a-bot-beside-its-documents',
    file: 'server/src/bots/bots.queries.ts',
    find: 'order by id for key share`.execute(tx);',
    replace: 'order by id`.execute(tx);',
    test: {
      file: 'server/src/bots/bots.routes.test.ts',
      name: 'while a document of it is deleted waits for it, never for ever',
    },
    why: 'A bot and a document of it that are deleted at once would wait for one another, and one of them fail.',
  },
];
