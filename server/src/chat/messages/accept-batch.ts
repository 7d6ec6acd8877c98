import { DatabaseNotReached, isConnectionLost } from '../../platform/database/connection-errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseBusy } from '../../platform/http/errors.ts';
import { createBatch } from '../../platform/shared/batch.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import {
  type AcceptResult,
  insertCharged,
  insertChargedTogether,
  type NewMessage,
} from './accept.queries.ts';
import { circumstancesOf, findRefusal } from './send.errors.ts';

/** Charges and stores a message. Returns undefined if the device is missing or outside the scope. */
export type Accept = (message: NewMessage) => Promise<AcceptResult | undefined>;

/** Retries that wait for the locked row of a team's month must not occupy all database connections. */
const retryLimits = {
  perGroup: { maxRunning: 2 },
  maxWaitMs: 20_000,
  errors: { full: databaseBusy, timedOut: databaseBusy, closed: databaseBusy },
};

/**
 * Accepts messages that arrive together in one statement. Retries a message individually if the statement failed or
 * left the message out: the row of its team's month was locked, or the team's messages did not all fit into the quota.
 */
export function createAcceptBatch(db: Database): Accept {
  const retriesOfTeam = createSemaphore(retryLimits);
  // Null: the statement failed without effect.
  const batch = createBatch<NewMessage, AcceptResult | undefined | null>({
    waitMs: 1,
    maxItems: 100,
    run: async (messages) => {
      try {
        return await insertChargedTogether(db, messages);
      } catch (error) {
        // The statement may have committed before the connection broke. A retry could accept a message twice.
        if (error instanceof DatabaseNotReached || isConnectionLost(error)) throw error;
        return messages.map(() => null);
      }
    },
  });
  return async (message) => {
    const row = await batch.add(message);
    if (row === undefined || (row !== null && isDecided(row))) return row;
    const group = row?.team_id ?? message.deviceId;
    return retriesOfTeam.run(() => insertCharged(db, message), { group });
  };
}

/** An individual retry would have the same result. */
const isDecided = (row: AcceptResult): boolean =>
  row.used_after !== null || findRefusal(row, new Date(), circumstancesOf(row)) !== null;
