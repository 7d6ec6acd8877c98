// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** From the inbound message to the reply. */
export const answeringDefects: readonly Defect[] = [
  {
    name: 'answer-without-a-fence',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'join conversations c on c.id = claim.id and c.claim_fence = claim.fence and c.claimed_until is not null`;',
    replace: 'join conversations c on c.id = claim.id`;',
    test: {
      file: 'server/src/answering/answering-faults.reliability.test.ts',
      name: 'a worker whose claim was taken over writes nothing',
    },
    why: 'The worker that lost the claim and its successor would both answer the message.',
  },
  {
    name: 'write-under-a-lost-claim-beside-the-current-one',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'fences.get(conversationId) === fence));',
    replace: 'fences.has(conversationId)));',
    test: {
      file: 'server/src/answering/write-answers.test.ts',
      name: 'of two claims on a conversation that end together, writes and charges only the valid one',
    },
    why: 'The same messages would be answered and charged twice when a lost claim completes together with its successor.',
  },
  {
    name: 'write-under-a-claim-that-ended',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'c.claim_fence = claim.fence and c.claimed_until is not null`;',
    replace: 'c.claim_fence = claim.fence`;',
    test: {
      file: 'server/src/answering/write-answers.test.ts',
      name: 'does not write an answer again under its ended claim',
    },
    why: 'An answer whose commit was not acknowledged would be written and charged a second time.',
  },
  {
    name: 'block-all-answers-on-one-conversation',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'for update of c skip locked`,',
    replace: 'for update of c`,',
    test: {
      file: 'server/src/answering/write-answers.test.ts',
      name: 'a locked conversation delays no other answer',
    },
    why: 'One locked conversation would block all others and force their answers to be written one by one.',
  },
  {
    name: 'block-all-messages-on-one-conversation',
    file: 'server/src/conversations/inbound.queries.ts',
    find: 'for no key update of c skip locked`;',
    replace: 'for no key update of c`;',
    test: {
      file: 'server/src/pool/inbound-recorder.test.ts',
      name: 'a locked conversation delays no other message',
    },
    why: 'One locked conversation would block the inbound messages of all devices.',
  },
  {
    name: 'keep-a-lost-claim',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'c.id = claims.id and c.claim_fence = claims.fence',
    replace: 'c.id = claims.id',
    test: {
      file: 'server/src/answering/answering-faults.reliability.test.ts',
      name: 'a worker aborts its answer when it loses the claim',
    },
    why: 'Two workers would pay for, and act on, the same message.',
  },
  {
    name: 'keep-a-lost-claim-beside-the-current-one',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'lost.has(index)',
    replace: 'lost.has(index) && lost.size === claims.length',
    test: {
      file: 'server/src/answering/claims.test.ts',
      name: 'of two claims on a conversation, reports the lost one and renews the other',
    },
    why: 'A worker would keep generating and paying for an answer that is never used.',
  },
  {
    name: 'generate-two-answers-at-once',
    file: 'server/src/answering/answering.ts',
    find: 'if (earlier.conversationId === claim.conversationId) this.#abort(earlier);',
    replace: '',
    test: {
      file: 'server/src/answering/answering-faults.reliability.test.ts',
      name: 'a worker that claims a conversation again aborts its earlier answer',
    },
    why: 'A worker with a wrong clock would pay for, and act on, the same message twice.',
  },
  {
    name: 'do-not-renew-claims',
    file: 'server/src/conversations/claims.sql.ts',
    find: 'update conversations c set claimed_until = now() + make_interval(secs => ${leaseSeconds})',
    replace: 'update conversations c set claimed_until = c.claimed_until',
    test: {
      file: 'server/src/answering/answering-faults.reliability.test.ts',
      name: 'renews a claim while its worker lives, however long the answer takes',
    },
    why: 'A second worker would start an answer that takes long.',
  },
  {
    name: 'store-a-redelivered-message-again',
    file: 'server/src/conversations/inbound.queries.ts',
    find: 'from chat order by position\n  on conflict (device_id, contact_number, direction, network_id) do nothing',
    replace:
      'from chat order by position\n  on conflict (device_id, contact_number, direction, network_id) do update set id = excluded.id, status = excluded.status',
    test: {
      file: 'server/src/conversations/inbound.test.ts',
      name: 'is stored once when redelivered and makes nothing due',
    },
    why: 'A redelivered message would be answered again.',
  },
  {
    name: 'answer-before-the-delay',
    file: 'server/src/conversations/inbound.queries.ts',
    find: 'as delay,',
    replace: '* 0 as delay,',
    test: {
      file: 'server/src/answering/answering.test.ts',
      name: 'answers messages within the delay together, once, after the delay',
    },
    why: 'Three short messages would get three answers.',
  },
  {
    name: 'answer-after-a-takeover',
    file: 'server/src/conversations/unanswered-messages.queries.ts',
    find: 'claim_fence = claim_fence + 1, claimed_until = null, attempts = 0',
    replace: 'attempts = 0',
    test: {
      file: 'server/src/answering/takeover.test.ts',
      name: 'a takeover during an answer cancels it without a charge',
    },
    why: 'The bot would answer, and charge, after a person has taken over.',
  },
  {
    name: 'drop-the-last-paragraphs',
    file: 'server/src/answering/reply-parts.ts',
    find: ": [...kept.slice(0, mostMessages - 1), kept.slice(mostMessages - 1).join('\\n\\n')];",
    replace: ': kept.slice(0, mostMessages);',
    test: {
      file: 'server/src/answering/reply-parts.test.ts',
      name: 'splits an answer into parts within the limit, with all words in order',
    },
    why: 'The end of a long answer with line breaks would not be sent.',
  },
];
