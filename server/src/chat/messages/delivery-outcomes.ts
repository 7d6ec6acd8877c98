import type { Database } from '../../platform/database/database.ts';
import { handledLocally, type Notifications } from '../../platform/database/notifications.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { type OutcomeRow, selectOutcomes } from './delivery-outcomes.queries.ts';

export interface DeliveryOutcome {
  status: 'accepted' | 'sent' | 'refused';
  failure: string | null;
}

export interface DeliveryOutcomes {
  /** Returns `accepted` at the timeout. Never rejects. One request at a time may wait for a message. */
  wait(messageId: string, timeoutMs: number): Promise<DeliveryOutcome>;
  close(): void;
}

export const undecided: DeliveryOutcome = { status: 'accepted', failure: null };
const batchMs = 1;
const pollMs = 1000;

type Waiting = Map<string, (outcome: DeliveryOutcome) => void>;

/** Uses one subscription and one statement for all waiting requests. */
export function createDeliveryOutcomes(deps: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
  logger: Pick<Logger, 'warn'>;
}): DeliveryOutcomes {
  const waiting: Waiting = new Map();
  const read = (ids: string[]) => void resolveDecided(deps, waiting, ids);
  const readSoon = batchIds(read);
  const onSettled = (id: string) => {
    if (!waiting.has(id)) return;
    readSoon.add(id);
    return handledLocally;
  };
  const onSent = (id: string) => {
    const resolve = waiting.get(id);
    if (resolve === undefined) return;
    resolve({ status: 'sent', failure: null });
    return handledLocally;
  };
  const readAll = () => read([...waiting.keys()]);
  const poll = setInterval(readAll, pollMs).unref();
  const unsubscribe = [
    deps.notifications.subscribe('message-settled', onSettled),
    deps.notifications.subscribe('message-sent', onSent),
    deps.notifications.onGap(readAll),
  ];
  return {
    wait: (messageId, timeoutMs) => waitForOutcome(waiting, messageId, timeoutMs),
    close() {
      clearInterval(poll);
      readSoon.close();
      for (const stop of unsubscribe) stop();
      for (const resolve of waiting.values()) resolve(undecided);
    },
  };
}

function waitForOutcome(waiting: Waiting, messageId: string, timeoutMs: number): Promise<DeliveryOutcome> {
  const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
  waiting.set(messageId, resolve);
  const timer = setTimeout(() => resolve(undecided), timeoutMs);
  return promise.finally(() => {
    clearTimeout(timer);
    waiting.delete(messageId);
  });
}

async function resolveDecided(
  { db, logger }: { db: Database; logger: Pick<Logger, 'warn'> },
  waiting: Waiting,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  try {
    for (const row of await selectOutcomes(db, ids)) {
      const outcome = toOutcome(row);
      if (outcome.status !== 'accepted') waiting.get(row.id)?.(outcome);
    }
  } catch (error) {
    logger.warn({ err: error }, 'failed to read delivery outcomes; the next poll retries');
  }
}

function batchIds(run: (ids: string[]) => void) {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add(id: string): void {
      pending.add(id);
      timer ??= setTimeout(() => {
        timer = undefined;
        const ids = [...pending];
        pending.clear();
        run(ids);
      }, batchMs);
    },
    close: () => clearTimeout(timer),
  };
}

export function toOutcome({ status, failure }: OutcomeRow): DeliveryOutcome {
  if (status === 'refused') return { status, failure };
  const isSent = status === 'sent' || status === 'delivered' || status === 'read';
  return { status: isSent ? 'sent' : 'accepted', failure };
}
