import type { Specification } from './specification.ts';

/** The active-message quota of one team. Its plan may change at any time. */
export interface Quota {
  /** Per month, without the margin. */
  monthly: number;
  allowed: boolean;
  banned: boolean;
  /** Ordered by acceptance. */
  messages: readonly ChargedMessage[];
}

interface ChargedMessage {
  id: string;
  month: string;
  status: 'accepted' | 'sent' | 'unknown' | 'refused';
}

/** `at` names one of `instants`. `message` is an arbitrary number until `resolve` replaces it by an id. */
export type QuotaOperation =
  | { kind: 'send'; at: string }
  | { kind: 'acknowledge' | 'refuse' | 'refuse late' | 'give up'; message: number | string }
  | { kind: 'plan'; monthly: number; allowed: boolean }
  | { kind: 'ban'; banned: boolean };

/** A send returns the message and the month's usage, or null if it was refused. */
export type QuotaAnswer = { id: string; used: number } | null;

/** Times around two month boundaries in UTC, with their months. */
export const instants: Readonly<Record<string, string>> = {
  '2026-10-31T23:59:59.999Z': '2026-10-01',
  '2026-11-01T00:00:00.000Z': '2026-11-01',
  '2026-11-30T23:59:59.999Z': '2026-11-01',
  '2026-12-01T00:00:00.000Z': '2026-12-01',
};

/** Decision 33: the quota plus 5%, rounded down. */
const limitFor = (monthly: number): number => Math.floor((monthly * 105) / 100);

/** A message uses one unit of its month. Only a refusal refunds it. */
const usedIn = ({ messages }: Quota, month: string): number =>
  messages.filter((message) => message.month === month && message.status !== 'refused').length;

/** Delivery reports: the status that each sets, and the statuses in which it applies. */
const reports = {
  acknowledge: { status: 'sent', from: ['accepted', 'unknown'] },
  refuse: { status: 'refused', from: ['accepted'] },
  'refuse late': { status: 'refused', from: ['accepted', 'unknown', 'sent'] },
  'give up': { status: 'unknown', from: ['accepted'] },
} as const;

export const quotaSpecification: Specification<Quota, QuotaOperation, QuotaAnswer> = {
  resolve(operation, { messages }) {
    if (!('message' in operation)) return operation;
    const message = messages[Number(operation.message) % messages.length];
    return message === undefined ? null : { ...operation, message: message.id };
  },

  after(quota, operation, answer) {
    switch (operation.kind) {
      case 'send':
        return afterSend(quota, instants[operation.at] ?? '', answer);
      case 'plan':
        return { ...quota, monthly: operation.monthly, allowed: operation.allowed };
      case 'ban':
        return { ...quota, banned: operation.banned };
      default: {
        const { status, from } = reports[operation.kind];
        const applies = (message: ChargedMessage) =>
          message.id === operation.message && from.some((state) => state === message.status);
        return {
          ...quota,
          messages: quota.messages.map((message) => (applies(message) ? { ...message, status } : message)),
        };
      }
    }
  },

  visibleState: (quota) => ({
    monthly: quota.monthly,
    allowed: quota.allowed,
    banned: quota.banned,
    used: Object.fromEntries(
      [...new Set(quota.messages.map(({ month }) => month))]
        .sort()
        .map((month) => [month, usedIn(quota, month)]),
    ),
    messages: quota.messages.map(({ id, month, status }) => ({
      id,
      month,
      status,
      refunded: status === 'refused',
    })),
  }),
};

function afterSend(quota: Quota, month: string, answer: QuotaAnswer): Quota | null {
  const used = usedIn(quota, month);
  const isAccepted = quota.allowed && !quota.banned && used < limitFor(quota.monthly);
  if ((answer !== null) !== isAccepted) return null;
  if (answer === null) return quota;
  if (answer.used !== used + 1) return null;
  return { ...quota, messages: [...quota.messages, { id: answer.id, month, status: 'accepted' }] };
}
