import type { Database } from '../database/database.ts';
import { handledLocally, type Notifications } from '../database/notifications.ts';
import type { Logger } from '../shared/logger.ts';
import { selectOutcomes } from './delivery-outcomes.queries.ts';

/** What became of a message: `accepted` while that is not known, or not decided. */
export interface DeliveryOutcome {
  outcome: 'accepted' | 'sent' | 'refused';
  failure: string | null;
}

/** Requests waiting for what becomes of the messages they sent. */
export interface DeliveryOutcomes {
  /** Never rejects: what cannot be read is still `accepted`. */
  of(messageId: string, timeoutMs: number): Promise<DeliveryOutcome>;
  close(): void;
}

const undecided: DeliveryOutcome = { outcome: 'accepted', failure: null };
/** Settlements that come this close together are read by one statement. */
const gatherMs = 1;
const lookAgainMs = 1000;

/** One subscription and one statement for however many requests wait. */
export function createDeliveryOutcomes(deps: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
  logger: Pick<Logger, 'warn'>;
}): DeliveryOutcomes {
  const waiting = new Map<string, (settlement: DeliveryOutcome) => void>();
  const told = new Set<string>();
  let gathering: NodeJS.Timeout | undefined;

  const read = async (ids: string[]) => {
    if (ids.length === 0) return;
    try {
      for (const { id, status, failure } of await selectOutcomes(deps.db, ids)) {
        const outcome = outcomeOf(status);
        if (outcome !== 'accepted') waiting.get(id)?.({ outcome, failure });
      }
    } catch (error) {
      deps.logger.warn({ err: error }, 'what became of messages could not be read; it is looked up again');
    }
  };

  /** Only one request waits for a message. */
  const look = (id: string) => {
    if (!waiting.has(id)) return;
    told.add(id);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const ids = [...told];
      told.clear();
      void read(ids);
    }, gatherMs);
    return handledLocally;
  };

  /** Told when it is written: there is nothing to read. */
  const answerSent = (id: string) => {
    const answer = waiting.get(id);
    if (answer === undefined) return;
    answer({ outcome: 'sent', failure: null });
    return handledLocally;
  };

  const readAll = () => void read([...waiting.keys()]);
  const poll = setInterval(readAll, lookAgainMs).unref();
  const unsubscribe = [
    deps.notifications.subscribe('message-settled', look),
    deps.notifications.subscribe('message-sent', answerSent),
    deps.notifications.onGap(readAll),
  ];

  return {
    of(messageId, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
      waiting.set(messageId, resolve);
      const timer = setTimeout(() => resolve(undecided), timeoutMs);
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(messageId);
      });
    },
    close() {
      clearInterval(poll);
      clearTimeout(gathering);
      for (const stop of unsubscribe) stop();
      for (const resolve of waiting.values()) resolve(undecided);
    },
  };
}

function outcomeOf(status: string): DeliveryOutcome['outcome'] {
  if (status === 'refused') return 'refused';
  return status === 'sent' || status === 'delivered' || status === 'read' ? 'sent' : 'accepted';
}
