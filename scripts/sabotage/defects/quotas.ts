// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const quota = {
  file: 'server/test/models/quota.reliability.test.ts',
  name: 'charges each month for exactly the messages that were accepted and not refused',
};

/** Charges, refunds, quotas and limits of size. */
export const quotaDefects: readonly Defect[] = [
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
    name: 'wait-for-a-held-month',
    file: 'server/src/chat/messages/accept.queries.ts',
    find: 'for no key update of u skip locked',
    replace: 'for no key update of u',
    test: {
      file: 'server/src/chat/messages/accept-batch.test.ts',
      name: 'accepts messages of other teams together while a transaction holds the month of one',
    },
    why: 'One team with a locked month would delay the messages of all teams.',
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
    name: 'count-months-by-local-time',
    file: 'server/src/platform/shared/clock.ts',
    find: 'time.toISOString().slice(0, 7)',
    replace: "time.toLocaleDateString('sv').slice(0, 7)",
    test: {
      file: 'server/src/platform/shared/clock.test.ts',
      name: 'returns the UTC month in every time zone',
    },
    why: 'The month would begin at different times on different machines.',
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
    name: 'free-two-accounts',
    file: 'server/src/tenancy/usage/usage.sql.ts',
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
    name: 'accept-files-of-any-size',
    file: 'server/src/knowledge/documents/upload-parts.ts',
    find: 'else if (!(await receiveFile(part, received, fileBytes, readName))) throw fileTooLarge(maxBytes);',
    replace: 'else await receiveFile(part, received, Number.MAX_SAFE_INTEGER, readName);',
    test: {
      file: 'server/src/knowledge/documents/upload.test.ts',
      name: 'accepts a file of exactly the limit, rejects one byte more',
    },
    why: 'A file of any size would be read into memory.',
  },
  {
    name: 'write-an-answer-without-its-costs',
    file: 'server/src/chat/answering/write-answers.ts',
    find: 'await recordModelCalls(tx, calls, month);',
    replace: 'await recordModelCalls(tx, calls, month).catch(() => undefined);',
    test: {
      file: 'server/src/chat/answering/model-costs.reliability.test.ts',
      name: 'an answer is not written without its costs',
    },
    why: 'Calls that the operator pays for would be missing from the costs.',
  },
  {
    name: 'report-unknown-tokens-as-zero',
    file: 'server/src/tenancy/usage/model-calls.sql.ts',
    find: 'coalesce(${total} + ${more}, ${total}, ${more})',
    replace: 'coalesce(${total}, 0) + coalesce(${more}, 0)',
    test: {
      file: 'server/src/chat/answering/model-costs.reliability.test.ts',
      name: 'reports unknown tokens and costs as null and counts them',
    },
    why: 'A month of unknown costs would look free of charge.',
  },
  {
    name: 'forget-the-calls-of-refused-charges',
    file: 'server/src/chat/answering/charge-answer.ts',
    find: 'await recordModelCalls(tx, [{',
    replace: 'if (charged) await recordModelCalls(tx, [{',
    test: {
      file: 'server/src/chat/answering/model-costs.reliability.test.ts',
      name: 'records the calls of a question over the API, also if the credits were used up meanwhile',
    },
    why: 'Calls that the operator pays for would be missing from the costs.',
  },
  {
    name: 'forget-the-calls-of-failed-steps',
    file: 'server/src/knowledge/assistant-provider/generating/generate.ts',
    find: 'throw withUsage(error, usage);',
    replace: 'throw error;',
    test: {
      file: 'server/src/chat/answering/model-costs.reliability.test.ts',
      name: 'records the call of a refused answer, and those of a failed attempt',
    },
    why: 'Refused and empty answers would look free of charge.',
  },
];
