// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** Claims of conversations and calls of actions. */
export const answeringDefects: readonly Defect[] = [
  {
    name: 'claim-from-one-team-first',
    file: 'server/src/chat/conversations/claims.sql.ts',
    find: 'least(free, ceil(${limit}::numeric / count(*) over ())) as share',
    replace: 'free as share',
    test: {
      file: 'server/src/chat/answering/fair-claims.test.ts',
      name: 'claims equal shares from the teams, however long one of them has waited',
    },
    why: 'A team with many waiting contacts would delay the answers of all others.',
  },
  {
    name: 'answer-without-a-fence',
    file: 'server/src/chat/conversations/claims.sql.ts',
    find: 'join conversations c on c.id = claim.id and c.claim_fence = claim.fence and c.claimed_until is not null`;',
    replace: 'join conversations c on c.id = claim.id`;',
    test: {
      file: 'server/src/chat/answering/answering-faults.reliability.test.ts',
      name: 'a worker whose claim was taken over writes nothing',
    },
    why: 'The worker that lost the claim and its successor would both answer the message.',
  },
  {
    name: 'write-under-a-claim-that-ended',
    file: 'server/src/chat/conversations/claims.sql.ts',
    find: 'c.claim_fence = claim.fence and c.claimed_until is not null`;',
    replace: 'c.claim_fence = claim.fence`;',
    test: {
      file: 'server/src/chat/answering/write-answers.test.ts',
      name: 'does not write an answer again under its ended claim',
    },
    why: 'An answer whose commit was not acknowledged would be written and charged a second time.',
  },
  {
    name: 'store-a-redelivered-message-again',
    file: 'server/src/chat/conversations/inbound.queries.ts',
    find: 'from chat order by position\n  on conflict (device_id, contact_number, direction, network_id) do nothing',
    replace:
      'from chat order by position\n  on conflict (device_id, contact_number, direction, network_id) do update set id = excluded.id, status = excluded.status',
    test: {
      file: 'server/src/chat/conversations/inbound.test.ts',
      name: 'is stored once when redelivered and makes nothing due',
    },
    why: 'A redelivered message would be answered again.',
  },
  {
    name: 'answer-after-a-takeover',
    file: 'server/src/chat/conversations/unanswered-messages.queries.ts',
    find: 'claim_fence = claim_fence + 1, claimed_until = null, attempts = 0',
    replace: 'attempts = 0',
    test: {
      file: 'server/src/chat/answering/takeover.test.ts',
      name: 'a takeover during an answer cancels it without a charge',
    },
    why: 'The bot would answer, and charge, after a person has taken over.',
  },
  {
    name: 'repeat-an-interrupted-post',
    file: 'server/src/chat/answering/answer-calls.ts',
    find: "method === null || method === 'GET';",
    replace: "method !== 'DELETE';",
    test: {
      file: 'server/src/chat/answering/tool-call-log.test.ts',
      name: 'and a stale worker stores no result',
    },
    why: 'A crash during a call would book, pay or order twice.',
  },
  {
    name: 'make-calls-again-after-a-kill',
    file: 'server/src/chat/answering/tool-call-log.ts',
    find: 'mayHaveBeenSent: row === interrupted',
    replace: 'mayHaveBeenSent: false',
    test: {
      file: 'server/src/chat/answering/tool-call-log.test.ts',
      name: 'and a stale worker stores no result',
    },
    why: 'A process that dies during a call would book, pay or order twice.',
  },
];
