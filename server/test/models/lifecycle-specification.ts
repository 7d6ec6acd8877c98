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

/** `attempt` and `message` are arbitrary numbers until `resolve` resolves them. */
export type LifecycleOperation =
  | { kind: 'send'; chat: string }
  | { kind: 'reply'; chat: string; parts: number }
  | { kind: 'claim' | 'take over' | 'sweep'; pool: string }
  | { kind: 'acknowledge' | 'lose'; deliveryAttempt: number | ClaimedMessage }
  | {
      kind: 'refuse';
      deliveryAttempt: number | ClaimedMessage;
      failure: 'recipient_unknown' | 'network_refused';
    }
  | { kind: 'receipt'; message: number | string; state: 'delivered' | 'read' | 'failed' }
  | { kind: 'start' | 'stop' | 'delete' }
  | { kind: 'wait'; seconds: number };

/**
 * A send or reply returns its messages, none if refused. A claim returns its delivery attempts, a lost outcome the
 * delay before the retry or null, a deletion whether it succeeded.
 */
export type LifecycleAnswer = readonly string[] | readonly ClaimedMessage[] | number | boolean | null;

const claimSeconds = 30;
/** Decision 35: an unknown outcome is retried at most 3 times in 10 minutes. */
const pauses = [2, 15, 60] as const;
const mostAttempts = 1 + pauses.length;
const retrySeconds = 600;
/** A message accepted during the deletion is settled this much later. */
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

  after(world, operation, answer, alone) {
    switch (operation.kind) {
      case 'send':
      case 'reply':
        return afterAcceptance(world, operation, answer as readonly string[], alone);
      case 'claim':
        return afterClaim(world, operation.pool, answer as readonly ClaimedMessage[], alone);
      case 'take over':
        return { ...world, owner: operation.pool, epoch: world.epoch + 1 };
      case 'start':
        return { ...world, started: true, epoch: world.epoch + 1 };
      case 'stop':
        return world.started ? { ...world, started: false, epoch: world.epoch + 1 } : world;
      case 'wait':
        return { ...world, now: world.now + operation.seconds };
      case 'delete':
        return afterDeletion(world, answer as boolean);
      case 'sweep':
        return afterSweep(world, operation.pool);
      case 'receipt':
        return afterReceipt(world, String(operation.message), operation.state);
      default:
        return afterOutcome(world, operation, operation.deliveryAttempt as ClaimedMessage, answer);
    }
  },

  shown: ({ owner, epoch, started, deleted, messages }) => ({
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
  world: Lifecycle,
  { kind, chat }: { kind: 'send' | 'reply'; chat: string },
  ids: readonly string[],
  alone: boolean,
): Lifecycle | null {
  const isOpen = world.deleted ? !alone : kind === 'reply' || world.started;
  if (ids.length === 0) return isOpen && alone ? null : world;
  if (!isOpen) return null;
  const accepted = ids.map(
    (id): Outbound => ({
      id,
      chat,
      charged: kind === 'send',
      status: 'accepted',
      acceptedAt: world.now,
      dueAt: world.now,
      attempts: 0,
      deliveredAt: null,
      claim: null,
      refunded: false,
    }),
  );
  return { ...world, messages: [...world.messages, ...accepted] };
}

/** The first unsettled message of each chat, if it is due. Chats keep their order. */
function claimable({ now, epoch, messages }: Lifecycle): Outbound[] {
  const waiting = messages.filter(({ status }) => status === 'accepted');
  const first = waiting.filter(({ chat }, index) => index === waiting.findIndex((m) => m.chat === chat));
  return first.filter(
    ({ dueAt, claim, attempts, deliveredAt }) =>
      dueAt <= now &&
      (claim === null || claim.until <= now || claim.epoch < epoch) &&
      attempts < mostAttempts &&
      (deliveredAt === null || now < deliveredAt + retrySeconds),
  );
}

/** A claim may skip a message that a concurrent operation locks. */
function afterClaim(
  world: Lifecycle,
  pool: string,
  deliveryAttempts: readonly ClaimedMessage[],
  alone: boolean,
): Lifecycle | null {
  const due = pool === world.owner && world.started && !world.deleted ? claimable(world) : [];
  const fits = deliveryAttempts.every((deliveryAttempt) =>
    due.some(({ id, attempts }) => deliveryAttempt.id === id && deliveryAttempt.attempts === attempts + 1),
  );
  if (!fits || (alone && deliveryAttempts.length !== due.length)) return null;
  const claimed = (message: Outbound): Outbound => ({
    ...message,
    attempts: message.attempts + 1,
    deliveredAt: message.deliveredAt ?? world.now,
    claim: { epoch: world.epoch, until: world.now + claimSeconds },
  });
  return {
    ...change(
      world,
      ({ id }) => deliveryAttempts.some((deliveryAttempt) => deliveryAttempt.id === id),
      claimed,
    ),
    deliveryAttempts: [...world.deliveryAttempts, ...deliveryAttempts],
  };
}

/** Success counts from any delivery attempt, failure only from the latest one. */
function afterOutcome(
  world: Lifecycle,
  operation: Extract<LifecycleOperation, { deliveryAttempt: unknown }>,
  { id, attempts }: ClaimedMessage,
  answer: LifecycleAnswer,
): Lifecycle | null {
  if (operation.kind === 'acknowledge') {
    const isOpen = (message: Outbound) =>
      message.id === id && (message.status === 'accepted' || message.status === 'unknown');
    return change(world, isOpen, settledAs('sent'));
  }
  const isLatest = (message: Outbound) =>
    message.id === id && message.attempts === attempts && message.status === 'accepted';
  if (operation.kind === 'refuse') {
    // The refusal of a retry says nothing about the attempt before it, unless the recipient does not exist.
    const isCertain = attempts === 1 || operation.failure === 'recipient_unknown';
    return change(world, isLatest, isCertain ? givenBack : settledAs('unknown'));
  }
  const pause = pauses[attempts - 1];
  if (answer !== (pause ?? null)) return null;
  if (pause === undefined) return change(world, isLatest, settledAs('unknown'));
  return change(world, isLatest, (message) => ({ ...message, claim: null, dueAt: world.now + pause }));
}

function afterReceipt(world: Lifecycle, id: string, state: 'delivered' | 'read' | 'failed'): Lifecycle {
  const earlier = { delivered: ['sent'], read: ['sent', 'delivered'], failed: ['sent'] }[state];
  const isNews = (message: Outbound) =>
    message.id === id && ['accepted', 'unknown', ...earlier].includes(message.status);
  return change(world, isNews, state === 'failed' ? givenBack : settledAs(state));
}

function afterDeletion(world: Lifecycle, done: boolean): Lifecycle | null {
  if (done === (world.started || world.deleted)) return null;
  return done ? { ...change(world, isWaiting, withoutDevice), deleted: true } : world;
}

function afterSweep(world: Lifecycle, pool: string): Lifecycle {
  const { now } = world;
  if (world.deleted) {
    const isOrphan = (message: Outbound) => isWaiting(message) && message.acceptedAt < now - orphanSeconds;
    return change(world, isOrphan, withoutDevice);
  }
  if (pool !== world.owner) return world;
  const isOver = ({ attempts, deliveredAt, claim, status }: Outbound) =>
    status === 'accepted' &&
    deliveredAt !== null &&
    (attempts >= mostAttempts || deliveredAt + retrySeconds <= now) &&
    (claim === null || claim.until <= now);
  return change(world, isOver, settledAs('unknown'));
}

const change = (
  world: Lifecycle,
  which: (message: Outbound) => boolean,
  become: (message: Outbound) => Outbound,
): Lifecycle => ({
  ...world,
  messages: world.messages.map((message) => (which(message) ? become(message) : message)),
});

const isWaiting = ({ status }: Outbound): boolean => status === 'accepted';

const settledAs =
  (status: Outbound['status']) =>
  (message: Outbound): Outbound => ({ ...message, status, claim: null });

const givenBack = (message: Outbound): Outbound => ({
  ...settledAs('refused')(message),
  refunded: message.charged,
});

/** Messages without a delivery attempt are refunded. The others become unknown. */
const withoutDevice = (message: Outbound): Outbound =>
  message.attempts === 0 ? givenBack(message) : settledAs('unknown')(message);
