import type { Specification } from './specification.ts';

/** The outbound messages of one device, from acceptance to their final status. Times are whole seconds. */
export interface Lifecycle {
  now: number;
  owner: string;
  epoch: number;
  started: boolean;
  deleted: boolean;
  /** Ordered by acceptance. */
  messages: readonly Outbound[];
  /** Every delivery attempt, including superseded ones. */
  deliveryAttempts: readonly ClaimedMessage[];
}

export interface Outbound {
  id: string;
  chat: string;
  charged: boolean;
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'refused' | 'unknown';
  acceptedAt: number;
  dueAt: number;
  /** Delivery attempts so far. */
  attempts: number;
  deliveredAt: number | null;
  claim: { epoch: number; until: number } | null;
  refunded: boolean;
}

export interface ClaimedMessage {
  id: string;
  attempts: number;
}

/** `deliveryAttempt` and `message` are arbitrary numbers until `resolve` replaces them. */
export type LifecycleOperation =
  | { kind: 'send'; chat: string }
  | { kind: 'reply'; chat: string; parts: number }
  | { kind: 'claim' | 'take over' | 'sweep'; pool: string }
  | { kind: 'acknowledge' | 'lose outcome'; deliveryAttempt: number | ClaimedMessage }
  | {
      kind: 'refuse';
      deliveryAttempt: number | ClaimedMessage;
      failure: 'recipient_unknown' | 'network_refused';
    }
  | { kind: 'receipt'; message: number | string; state: 'delivered' | 'read' | 'failed' }
  | { kind: 'start' | 'stop' | 'delete' }
  | { kind: 'wait'; seconds: number };

/**
 * A send or reply returns its messages, or none if it was refused. A claim returns its delivery attempts. A lost outcome
 * returns the delay before the retry, or null. A deletion returns whether it succeeded.
 */
export type LifecycleAnswer = readonly string[] | readonly ClaimedMessage[] | number | boolean | null;

const claimSeconds = 30;
/** Decision 35: an unknown outcome is retried at most 3 times in 10 minutes. */
const pauses = [2, 15, 60] as const;
const maxAttempts = 1 + pauses.length;
const retrySeconds = 600;
/** A message accepted during the deletion is settled after this time. */
const orphanSeconds = 60;

export const lifecycleSpecification: Specification<Lifecycle, LifecycleOperation, LifecycleAnswer> = {
  resolve(operation, { messages, deliveryAttempts, deleted }) {
    if ('deliveryAttempt' in operation) {
      const deliveryAttempt = deliveryAttempts[Number(operation.deliveryAttempt) % deliveryAttempts.length];
      return deliveryAttempt === undefined ? null : { ...operation, deliveryAttempt };
    }
    if ('message' in operation) {
      const known = messages.filter(({ attempts }) => attempts > 0);
      const message = known[Number(operation.message) % known.length];
      return message === undefined ? null : { ...operation, message: message.id };
    }
    const needsDevice = !['send', 'claim', 'sweep', 'wait'].includes(operation.kind);
    return deleted && needsDevice ? null : operation;
  },

  after(state, operation, answer, alone) {
    switch (operation.kind) {
      case 'send':
      case 'reply':
        return afterAcceptance(state, operation, answer as readonly string[], alone);
      case 'claim':
        return afterClaim(state, operation.pool, answer as readonly ClaimedMessage[], alone);
      case 'take over':
        return { ...state, owner: operation.pool, epoch: state.epoch + 1 };
      case 'start':
        return { ...state, started: true, epoch: state.epoch + 1 };
      case 'stop':
        return state.started ? { ...state, started: false, epoch: state.epoch + 1 } : state;
      case 'wait':
        return { ...state, now: state.now + operation.seconds };
      case 'delete':
        return afterDeletion(state, answer as boolean);
      case 'sweep':
        return afterSweep(state, operation.pool);
      case 'receipt':
        return afterReceipt(state, String(operation.message), operation.state);
      default:
        return afterOutcome(state, operation, operation.deliveryAttempt as ClaimedMessage, answer);
    }
  },

  visibleState: ({ owner, epoch, started, deleted, messages }) => ({
    device: deleted ? null : { owner, epoch, started },
    charges: messages.filter(({ charged, refunded }) => charged && !refunded).length,
    messages: messages.map(({ id, status, attempts, refunded, dueAt, deliveredAt, claim }) => ({
      id,
      status,
      attempts,
      refunded,
      dueAt,
      deliveredAt,
      claim,
    })),
  }),
};

function afterAcceptance(
  state: Lifecycle,
  { kind, chat }: { kind: 'send' | 'reply'; chat: string },
  ids: readonly string[],
  alone: boolean,
): Lifecycle | null {
  const isOpen = state.deleted ? !alone : kind === 'reply' || state.started;
  if (ids.length === 0) return isOpen && alone ? null : state;
  if (!isOpen) return null;
  const accepted = ids.map(
    (id): Outbound => ({
      id,
      chat,
      charged: kind === 'send',
      status: 'accepted',
      acceptedAt: state.now,
      dueAt: state.now,
      attempts: 0,
      deliveredAt: null,
      claim: null,
      refunded: false,
    }),
  );
  return { ...state, messages: [...state.messages, ...accepted] };
}

/** Returns the first unsettled message of each chat, if it is due. Later messages of the chat wait for it. */
function selectClaimable({ now, epoch, messages }: Lifecycle): Outbound[] {
  const waiting = messages.filter(({ status }) => status === 'accepted');
  const first = waiting.filter(({ chat }, index) => index === waiting.findIndex((m) => m.chat === chat));
  return first.filter(
    ({ dueAt, claim, attempts, deliveredAt }) =>
      dueAt <= now &&
      (claim === null || claim.until <= now || claim.epoch < epoch) &&
      attempts < maxAttempts &&
      (deliveredAt === null || now < deliveredAt + retrySeconds),
  );
}

/** A claim may skip a message that a concurrent operation locks. */
function afterClaim(
  state: Lifecycle,
  pool: string,
  deliveryAttempts: readonly ClaimedMessage[],
  alone: boolean,
): Lifecycle | null {
  const due = pool === state.owner && state.started && !state.deleted ? selectClaimable(state) : [];
  const isAllowed = deliveryAttempts.every((deliveryAttempt) =>
    due.some(({ id, attempts }) => deliveryAttempt.id === id && deliveryAttempt.attempts === attempts + 1),
  );
  if (!isAllowed || (alone && deliveryAttempts.length !== due.length)) return null;
  const claimed = (message: Outbound): Outbound => ({
    ...message,
    attempts: message.attempts + 1,
    deliveredAt: message.deliveredAt ?? state.now,
    claim: { epoch: state.epoch, until: state.now + claimSeconds },
  });
  return {
    ...change(
      state,
      ({ id }) => deliveryAttempts.some((deliveryAttempt) => deliveryAttempt.id === id),
      claimed,
    ),
    deliveryAttempts: [...state.deliveryAttempts, ...deliveryAttempts],
  };
}

/** A success settles the message from any delivery attempt, a failure only from the latest one. */
function afterOutcome(
  state: Lifecycle,
  operation: Extract<LifecycleOperation, { deliveryAttempt: unknown }>,
  { id, attempts }: ClaimedMessage,
  answer: LifecycleAnswer,
): Lifecycle | null {
  if (operation.kind === 'acknowledge') {
    const isOpen = (message: Outbound) =>
      message.id === id && (message.status === 'accepted' || message.status === 'unknown');
    return change(state, isOpen, withStatus('sent'));
  }
  const isLatest = (message: Outbound) =>
    message.id === id && message.attempts === attempts && message.status === 'accepted';
  if (operation.kind === 'refuse') {
    // A refused retry does not show that the earlier attempts failed, unless the recipient does not exist.
    const isCertain = attempts === 1 || operation.failure === 'recipient_unknown';
    return change(state, isLatest, isCertain ? asRefunded : withStatus('unknown'));
  }
  const pause = pauses[attempts - 1];
  if (answer !== (pause ?? null)) return null;
  if (pause === undefined) return change(state, isLatest, withStatus('unknown'));
  return change(state, isLatest, (message) => ({ ...message, claim: null, dueAt: state.now + pause }));
}

function afterReceipt(state: Lifecycle, id: string, receipt: 'delivered' | 'read' | 'failed'): Lifecycle {
  const earlier = { delivered: ['sent'], read: ['sent', 'delivered'], failed: ['sent'] }[receipt];
  const isNew = (message: Outbound) =>
    message.id === id &&
    ['accepted', 'unknown', ...earlier].includes(message.status) &&
    // The failure of a retry does not show that the earlier attempts failed.
    (receipt !== 'failed' || message.attempts <= 1);
  return change(state, isNew, receipt === 'failed' ? asRefunded : withStatus(receipt));
}

function afterDeletion(state: Lifecycle, deleted: boolean): Lifecycle | null {
  if (deleted === (state.started || state.deleted)) return null;
  return deleted ? { ...change(state, isWaiting, withoutDevice), deleted: true } : state;
}

function afterSweep(state: Lifecycle, pool: string): Lifecycle {
  const { now } = state;
  if (state.deleted) {
    const isOrphan = (message: Outbound) => isWaiting(message) && message.acceptedAt < now - orphanSeconds;
    return change(state, isOrphan, withoutDevice);
  }
  if (pool !== state.owner) return state;
  const isExhausted = ({ attempts, deliveredAt, claim, status }: Outbound) =>
    status === 'accepted' &&
    deliveredAt !== null &&
    (attempts >= maxAttempts || deliveredAt + retrySeconds <= now) &&
    (claim === null || claim.until <= now);
  return change(state, isExhausted, withStatus('unknown'));
}

const change = (
  state: Lifecycle,
  matches: (message: Outbound) => boolean,
  update: (message: Outbound) => Outbound,
): Lifecycle => ({
  ...state,
  messages: state.messages.map((message) => (matches(message) ? update(message) : message)),
});

const isWaiting = ({ status }: Outbound): boolean => status === 'accepted';

const withStatus =
  (status: Outbound['status']) =>
  (message: Outbound): Outbound => ({ ...message, status, claim: null });

const asRefunded = (message: Outbound): Outbound => ({
  ...withStatus('refused')(message),
  refunded: message.charged,
});

/** Messages without a delivery attempt are refunded. The others become unknown. */
const withoutDevice = (message: Outbound): Outbound =>
  message.attempts === 0 ? asRefunded(message) : withStatus('unknown')(message);
