import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { requireActor } from '../http/actor.ts';
import type { Routes } from '../http/fastify-app.ts';
import type { Idempotency } from '../http/idempotency/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { Clock } from '../shared/clock.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { activeMessageLimit } from '../usage/active-messages.ts';
import { createDeliveryOutcomes } from './delivery-outcomes.ts';
import { quotaHeaders, SendMessage, SentMessage } from './messages.schemas.ts';
import type { MessageSources } from './prepare-message.ts';
import { createQuotaDetails } from './quota-details.ts';
import { rateLimitHeaders, sendIssues } from './send.errors.ts';
import { createSendCommand, runSend, toIdempotentSteps } from './send.ts';

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
        access: 'any',
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
          { ...deps, outcomes, outcomeTimeoutMs },
          requireActor(request).scope,
          request.body,
        );
        const response =
          request.headers['idempotency-key'] === undefined
            ? await runSend(deps.db, command)
            : await deps.idempotency.inSteps({ request, reply }, toIdempotentSteps(command));
        const { device_id: deviceId, messageId, usage } = response.data;
        request.logContext = { deviceId, messageId };
        const { activeMessagesQuota: quota, activeMessagesUsed: used } = usage;
        reply.headers(rateLimitHeaders(activeMessageLimit(quota), used));
        return response;
      },
    );
  };
