import type { Database } from '../platform/database/database.ts';
import { nullIfLocked } from '../platform/database/lock-timeout.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import { createIsolatingBatch } from '../platform/shared/isolating-batch.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { insertPushed, type PushedEvent } from './inbox.sql.ts';

/** Stores an event durably before it resolves. The pool that owns the device reads it. */
export type PushEvent = (event: PushedEvent) => Promise<void>;

/** Events that arrive together share a transaction. */
export function createInbox({
  db,
  notifications,
  logger,
}: {
  db: Database;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'warn'>;
}): PushEvent {
  const store = createIsolatingBatch<PushedEvent, true>({
    waitMs: 1,
    maxItems: 200,
    groupOf: ({ teamId }) => teamId,
    async runBatch(events) {
      await insertPushed(db, events);
      return events.map(() => true);
    },
    runOne: (event) => nullIfLocked(() => insertPushed(db, [event]).then(() => true as const)),
    logger,
    failure: 'a batch of pushed events could not be stored',
  });
  return async (event) => {
    await store(event);
    faultPoint('inbox.after_store');
    notifications.publish('inbox-due', event.deviceId);
  };
}
