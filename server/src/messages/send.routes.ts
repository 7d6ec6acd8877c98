import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { requireActor } from '../http/actor.ts';
import { databaseBusy } from '../http/errors.ts';
import type { Routes } from '../http/fastify-app.ts';
import type { Idempotency } from '../http/idempotency/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { Clock } from '../shared/clock.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { activeMessageLimit } from '../usage/active-messages.ts';
import { createAcceptBatch } from './accept-batch.ts';
import { createDeliveryOutcomes } from './delivery-outcomes.ts';
import { quotaHeaders, SendMessage, SentMessage } from './messages.schemas.ts';
import type { MessageSources } from './prepare-message.ts';
import { createQuotaDetails } from './quota-details.ts';
import { rateLimitHeaders, sendIssues } from './send.errors.ts';
import { createSendCommand, runSend, toIdempotentSteps } from './send.ts';

/** Sends with an Idempotency-Key that wait for a locked month must not occupy all database connections. */
const keyedSendLimits = {
  perGroup: { maxRunning: 4 },
  maxWaitMs: 20_000,
  errors: { full: databaseBusy, timedOut: databaseBusy, closed: databaseBusy },
};

interface SendRoutesDeps {
  db: Database;
  idempotency: Idempotency;
  clock: Clock;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  logger: Pick<Logger, 'warn'>;
  sources: MessageSources;
  faultPoint: FaultPoint;
  outcomeTimeoutMs?: number;
}

export const sendRoutes =
  (deps: SendRoutesDeps): Routes =>
  (app) => {
    const { outcomeTimeoutMs = 10_000 } = deps;
    const outcomes = createDeliveryOutcomes(deps);
    const accept = createAcceptBatch(deps.db);
    const keyedSends = createSemaphore(keyedSendLimits);
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
        const command = createSendCommand(
          { ...deps, accept, outcomes, outcomeTimeoutMs },
          { scope: requireActor(request).scope, auditContext: request.auditContext ?? null },
          request.body,
        );
        const throttle = <Result>(transaction: () => Promise<Result>) =>
          keyedSends.run(transaction, { group: request.body.device_id.toLowerCase() });
        const response =
          request.headers['idempotency-key'] === undefined
            ? await runSend(deps.db, command)
            : await deps.idempotency.inAcceptance(
                { request, reply },
                { ...toIdempotentSteps(command), throttle },
              );
        const { device_id: deviceId, messageId, usage } = response.data;
        request.logContext = { deviceId, messageId };
        const { activeMessagesQuota: quota, activeMessagesUsed: used } = usage;
        reply.headers(rateLimitHeaders(activeMessageLimit(quota), used));
        return response;
      },
    );
  };
