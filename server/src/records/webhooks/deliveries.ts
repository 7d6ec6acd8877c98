import type { Database } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createIsolatingBatch } from '../../platform/shared/isolating-batch.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { createPoller } from '../../platform/shared/poller.ts';
import { recordEvent } from '../events/events.sql.ts';
import type { AttemptOutcome, WebhookOutbound } from './attempt.ts';
import {
  type Attempt,
  claimWebhooks,
  type DueDelivery,
  fanOut,
  recordAttempts,
  recordFailing,
  recordWorking,
  releaseWebhooks,
  selectDue,
} from './deliveries.queries.ts';
import { WebhookQueue } from './webhook-queue.ts';

interface Dependencies {
  db: Database;
  outbound: WebhookOutbound;
  encryption: Pick<Encryption, 'open'>;
  logger: Pick<Logger, 'info' | 'warn'>;
}

const pollMs = 250;
/** Most of the time between an event and its first attempt. */
const lookForEventsMs = 100;
const eventsPerFanOut = 1_000;
const maxClaimed = 1_000;
/** Another process delivers in place of a dead one after this time. */
const leaseSeconds = 15;

/**
 * Delivers events to webhooks. Each webhook is claimed by one worker process at a time, with a lease, so that its limits and
 * its order hold over all processes, and a receiver that hangs delays no other. A delivery stays pending until its outcome
 * is stored, so it is made at least once.
 */
export function startDeliveries(deps: Dependencies): { close(): Promise<void> } {
  const { db, logger } = deps;
  const owner = newId();
  const queues = new Map<string, WebhookQueue>();
  const record = async (attempts: readonly Attempt[]): Promise<(true | null)[]> => {
    const locked = await recordAttempts(db, attempts);
    return attempts.map((_, index) => (locked.has(index + 1) ? null : true));
  };
  const store = createIsolatingBatch<Attempt, true>({
    waitMs: 10,
    pauseMs: 10,
    maxItems: 500,
    groupOf: ({ webhookId }) => webhookId,
    runBatch: record,
    runOne: async (attempt) => (await record([attempt]))[0] ?? null,
    logger,
    failure: 'a batch of webhook deliveries could not be stored',
  });

  const finish = (delivery: DueDelivery, outcome: AttemptOutcome, wasFailing: boolean): void => {
    faultPoint('webhook.after_post');
    void storeOutcome(deps, store, delivery, outcome, wasFailing)
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to store a delivery; it is repeated'))
      .then(() => {
        const queue = queues.get(delivery.webhook_id);
        queue?.settle(delivery);
        // Otherwise each response would start a poll that reads nothing.
        if (queue === undefined || queue.room !== null) poller.wake();
      });
  };

  const updateQueues = async (): Promise<void> => {
    const claimed = await claimWebhooks(db, owner, { limit: maxClaimed, leaseSeconds });
    const ids = new Set(claimed.map(({ id }) => id));
    for (const [id, queue] of queues) {
      if (ids.has(id)) continue;
      queues.delete(id);
      await queue.close();
    }
    for (const webhook of claimed) {
      const queue = queues.get(webhook.id);
      if (queue === undefined) queues.set(webhook.id, new WebhookQueue(webhook, { ...deps, finish }));
      else queue.update(webhook);
    }
  };

  const readDue = async (): Promise<void> => {
    const withRoom = [...queues].flatMap(([id, queue]) => {
      const { room } = queue;
      return room === null ? [] : [{ id, room, queue }];
    });
    if (withRoom.length === 0) return;
    const known = withRoom.flatMap(({ queue }) => queue.known());
    for (const delivery of await selectDue(db, withRoom, known))
      queues.get(delivery.webhook_id)?.add(delivery);
  };

  let updatedAt = Number.NEGATIVE_INFINITY;
  const deliver = async (): Promise<number> => {
    try {
      if (performance.now() - updatedAt >= pollMs) {
        updatedAt = performance.now();
        await updateQueues();
      }
      await readDue();
    } catch (error) {
      logger.warn({ err: error }, 'failed to read deliveries of webhooks; retrying');
    }
    return pollMs;
  };
  const poller = createPoller(deliver, pollMs);

  let isBehind = false;
  /** Runs beside the deliveries, so that the receivers do not wait for it. */
  const addDeliveries = async (): Promise<number> => {
    try {
      const events = await fanOut(db, eventsPerFanOut);
      const wasBehind = isBehind;
      isBehind = events === eventsPerFanOut;
      if (events === 0) return lookForEventsMs;
      if (!wasBehind) updatedAt = Number.NEGATIVE_INFINITY;
      poller.wake();
      return isBehind ? 0 : lookForEventsMs;
    } catch (error) {
      logger.warn({ err: error }, 'failed to add deliveries of new events; retrying');
      return pollMs;
    }
  };
  const fanOutPoller = createPoller(addDeliveries, pollMs);
  fanOutPoller.wake();
  poller.wake();

  return {
    async close() {
      await Promise.all([fanOutPoller.close(), poller.close()]);
      const ids = [...queues.keys()];
      for (const queue of queues.values()) await queue.close();
      // Without the release, the claims expire.
      if (ids.length > 0) {
        await releaseWebhooks(db, owner, ids).catch((error: unknown) =>
          logger.warn({ err: error }, 'failed to release the claims on webhooks'),
        );
      }
    },
  };
}

const gone = 410;

async function storeOutcome(
  { db, logger }: Pick<Dependencies, 'db' | 'logger'>,
  store: (attempt: Attempt) => Promise<true>,
  { webhook_id: webhookId, event_id: eventId, queued_at: queuedAt, attempts }: DueDelivery,
  { responseStatus, error }: AttemptOutcome,
  wasFailing: boolean,
): Promise<void> {
  const delivered = error === null;
  const retryAfter = delivered ? null : retryDelay(attempts + 1);
  await store({ webhookId, eventId, queuedAt, delivered, responseStatus, error, retryAfter });
  const noteFailure = () =>
    db.transaction().execute(async (tx) => {
      const disabled = await recordFailing(tx, webhookId, { gone: responseStatus === gone });
      if (disabled === null) return;
      const { reason, team_id: teamId, url } = disabled;
      await recordEvent(tx, 'webhook.disabled', teamId, { webhook_id: webhookId, url, reason });
      logger.info({ webhookId, teamId, reason }, 'a webhook was disabled');
    });
  // While the row of the webhook is locked, a later delivery notes its state.
  if (!delivered) await nullIfLocked(noteFailure);
  else if (wasFailing) await nullIfLocked(() => recordWorking(db, webhookId));
}

const [minute, hour] = [60, 3600];

/** Seconds before each retry. */
const delays: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
  24 * hour,
  24 * hour,
];

/** Returns the seconds until the next attempt, up to 10% more or less; null after the last one. */
export function retryDelay(failures: number, random: () => number = Math.random): number | null {
  const delay = delays[failures - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}
