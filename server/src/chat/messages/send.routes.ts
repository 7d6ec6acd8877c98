import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { databaseBusy, notFound, unavailable } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import type { RateLimitErrorDetails } from '../../platform/http/limits/rate-limit.ts';
import { operation } from '../../platform/http/operation.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { activeMessageLimit } from '../../tenancy/usage/active-messages.ts';
import { type SendContext, selectSendContext } from './accept.queries.ts';
import { createAcceptBatch } from './accept-batch.ts';
import { createDeliveryOutcomes } from './delivery-outcomes.ts';
import { createMediaFiles } from './media-files.ts';
import { quotaHeaders, SendMessage, SentMessage } from './messages.schemas.ts';
import type { MessageSources } from './prepare-message.ts';
import { rateLimitHeaders, sendIssues } from './send.errors.ts';
import { createSendCommand, runSend, runSendOnce, type SendLimits } from './send.ts';

/** Sends that wait for a locked month, each in a transaction, must not occupy all database connections. */
const transactionLimits = {
  perGroup: { maxRunning: 4 },
  maxWaitMs: 20_000,
  errors: { full: databaseBusy, timedOut: databaseBusy, closed: databaseBusy },
};

const tooManyImages = () => unavailable('overloaded', 'Too many images are being fetched; try again', 5);

/** An image takes up to 10 MiB from its first byte until it is stored, and its host may take 10 s for it. */
const imageLimits = {
  maxRunning: 32,
  perGroup: { maxRunning: 8, maxWaiting: 64 },
  maxWaitMs: 10_000,
  errors: { full: tooManyImages, timedOut: tooManyImages, closed: tooManyImages },
};

const maxKnownDevices = 10_000;

interface SendRoutesDeps {
  db: Database;
  idempotency: Idempotency;
  clock: Clock;
  keyedHash: KeyedHash;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  logger: Pick<Logger, 'warn'>;
  sources: MessageSources;
  fileStore: Pick<FileStore, 'put'>;
  outcomeTimeoutMs?: number;
}

export const sendRoutes =
  (deps: SendRoutesDeps): Routes =>
  (app) => {
    const { outcomeTimeoutMs = 10_000 } = deps;
    const outcomes = createDeliveryOutcomes(deps);
    const accept = createAcceptBatch(deps.db);
    const mediaFiles = createMediaFiles(deps);
    const transactions = createSemaphore(transactionLimits);
    const images = createSemaphore(imageLimits);
    const teamsOfDevices = createBoundedMap<string, string>(maxKnownDevices);
    // Requests still waiting respond with status `accepted`.
    app.addHook('preClose', async () => outcomes.close());

    app.post(
      '/api/openapi/v1/send',
      operation({
        id: 'sendMessage',
        summary: 'Send an active message through a connected device',
        description:
          'Charges the message once and delivers it to the network at least once, under one id. Waits up to 10 seconds for the acknowledgement.',
        tag: 'Active messages',
        access: 'anyKey',
        body: SendMessage,
        rules: ({ body }) => sendIssues(body),
        data: SentMessage,
        errors: [403, 404],
        headers: { 200: quotaHeaders, 429: quotaHeaders },
        nestedErrors: true,
        rateLimitErrorDetails: createQuotaDetails(deps),
        idempotent: true,
      }),
      async (request, reply) => {
        const { scope } = requireActor(request);
        const command = createSendCommand(
          { ...deps, accept, mediaFiles, outcomes, outcomeTimeoutMs, teamsOfDevices },
          { scope, auditContext: request.auditContext ?? null },
          request.body,
        );
        const deviceId = request.body.device_id.toLowerCase();
        const group = scope.kind === 'team' ? scope.teamId : (teamsOfDevices.get(deviceId) ?? deviceId);
        const limits: SendLimits = {
          throttle: (transaction) => transactions.run(transaction, { group }),
          admit: (work) => (command.fetchesImage ? images.run(work, { group }) : work()),
        };
        const isPlain = !command.needsPreparation && request.headers['idempotency-key'] === undefined;
        const response = isPlain
          ? await runSend(command)
          : await runSendOnce(deps, { request, reply }, command, limits);
        const { messageId, usage } = response.data;
        request.logContext = { deviceId, messageId };
        const { activeMessagesQuota: quota, activeMessagesUsed: used } = usage;
        reply.headers(rateLimitHeaders(activeMessageLimit(quota), used));
        return response;
      },
    );
  };

/** Limits a flood of refused sends to one statement per second. */
const cacheMs = 1000;
const capacity = 10_000;

interface CachedContext {
  at: number;
  context: Promise<SendContext | undefined>;
}

/** Adds the monthly quota of the device in the body to every 429 of `POST /send`. */
export function createQuotaDetails({
  db,
  clock,
  elapsed = () => performance.now(),
}: {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** A monotonic clock in milliseconds. */
  elapsed?: () => number;
}): RateLimitErrorDetails {
  const cache = createBoundedMap<string, CachedContext>(capacity);
  return async (request) => {
    // The body has passed the schema before the rate limit is checked.
    const { device_id: deviceId } = request.body as SendMessage;
    const { keyId, scope } = requireActor(request);
    const cacheKey = `${keyId} ${deviceId}`;
    const now = elapsed();
    let cached = cache.get(cacheKey);
    if (cached === undefined || now - cached.at >= cacheMs) {
      cached = {
        at: now,
        context: selectSendContext(db, scope, {
          deviceId,
          month: toMonth(clock.now()),
          contactNumber: '',
          contactHash: '',
        }),
      };
      cache.set(cacheKey, cached);
      cached.context.catch(() => cache.delete(cacheKey));
    }
    const context = await cached.context;
    if (context === undefined) throw notFound('device');
    return { quota: context.quota, used: context.used, limit: context.message_limit };
  };
}
