import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { ErrorReason } from '../../platform/http/error-reasons.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import type { StoredResult } from '../../platform/http/idempotency/stored-results.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { WebhookOutbound } from './attempt.ts';
import { selectDeliveries, selectWebhooks } from './webhooks.queries.ts';
import {
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  ListDeliveries,
  ListWebhooks,
  Replay,
  Replayed,
  RotatedSecret,
  TestResult,
  UpdateWebhook,
  Webhook,
} from './webhooks.schemas.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  presentDelivery,
  presentWebhook,
  replay,
  replayIssues,
  rotateSecret,
  testWebhook,
  updateWebhook,
  webhookIssues,
} from './webhooks.ts';

const base = '/api/openapi/v1/webhooks';
const shared = { tag: 'Webhooks', access: 'anyKey', extension: true } as const;
const one = { ...shared, resource: 'webhook' } as const;

interface Dependencies {
  db: Database;
  idempotency: Idempotency;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  outbound: WebhookOutbound;
}

export const webhookRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    manageWebhooks(deps)(app);
    operateWebhooks(deps)(app);
  };

const manageWebhooks =
  ({ db, idempotency, encryption }: Dependencies) =>
  (app: Parameters<Routes>[0]): void => {
    app.post(
      base,
      operation({
        ...shared,
        id: 'createWebhook',
        summary: 'Create a webhook; its secret is shown once',
        description:
          'Parley posts every event of the given types to the URL, signed by the scheme of Standard Webhooks. A 2xx within 15 seconds confirms a delivery. Otherwise, Parley retries it after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, 24 h and 24 h. Deliveries arrive at least once; repeated ones have the same `webhook-id`. A receiver that returns 410, or fails for five days, disables its webhook.',
        body: CreateWebhook,
        rules: ({ body }) => webhookIssues(body),
        data: CreatedWebhook,
        idempotent: true,
      }),
      async (request, reply) =>
        idempotency.inTransaction(
          { request, reply },
          async (tx) => success(await createWebhook(tx, encryption, requireActor(request), request.body)),
          { remember: ({ data }) => secretAlreadyShown(data.id) },
        ),
    );

    app.get(
      base,
      operation({
        ...shared,
        id: 'listWebhooks',
        summary: 'List webhooks, newest first',
        description: 'Without their secrets.',
        query: ListWebhooks,
        data: Type.Array(Webhook),
        meta: PageMeta,
      }),
      async (request) => {
        const { rows, total } = await selectWebhooks(db, requireActor(request).scope, request.query);
        return successWithMeta(rows.map(presentWebhook), pageMeta(request.query, total));
      },
    );

    app.get(
      `${base}/:id`,
      operation({
        ...one,
        id: 'getWebhook',
        summary: 'Get a webhook',
        description: '`disabled_reason` says why deliveries stopped.',
        data: Webhook,
      }),
      async (request) => success(await getWebhook(db, requireActor(request), pathParameter(request))),
    );

    app.patch(
      `${base}/:id`,
      operation({
        ...one,
        id: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'Enabling it again delivers the events that were queued before. Replay events that occurred while it was disabled.',
        body: UpdateWebhook,
        rules: ({ body }) => webhookIssues(body),
        data: Webhook,
      }),
      async (request) =>
        db
          .transaction()
          .execute(async (tx) =>
            success(await updateWebhook(tx, requireActor(request), pathParameter(request), request.body)),
          ),
    );

    app.delete(
      `${base}/:id`,
      operation({
        ...one,
        id: 'deleteWebhook',
        summary: 'Delete a webhook and its deliveries',
        description: 'Attempts that have begun may still arrive.',
        data: Message,
      }),
      async (request) => {
        await db
          .transaction()
          .execute((tx) => deleteWebhook(tx, requireActor(request), pathParameter(request)));
        return success({ message: 'Webhook deleted' });
      },
    );
  };

const operateWebhooks =
  ({ db, encryption, outbound }: Dependencies) =>
  (app: Parameters<Routes>[0]): void => {
    app.post(
      `${base}/:id/rotate-secret`,
      operation({
        ...one,
        id: 'rotateWebhookSecret',
        summary: 'Create a new secret; both sign for 24 hours',
        description:
          'For 24 hours, deliveries carry a signature of each secret, so that receivers can change over.',
        data: RotatedSecret,
      }),
      async (request) =>
        db
          .transaction()
          .execute(async (tx) =>
            success(await rotateSecret(tx, encryption, requireActor(request), pathParameter(request))),
          ),
    );

    app.post(
      `${base}/:id/test`,
      operation({
        ...one,
        id: 'testWebhook',
        summary: 'Post a test event and report the response',
        description: 'Posts one `webhook.test` event at once, without retries. Nothing is stored.',
        data: TestResult,
        readOnly: true,
      }),
      async (request) =>
        success(
          await testWebhook({ db, encryption, outbound }, requireActor(request), pathParameter(request)),
        ),
    );

    app.get(
      `${base}/:id/deliveries`,
      operation({
        ...one,
        id: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        description: 'Shows the last attempt, its response and when the next attempt follows.',
        query: ListDeliveries,
        data: Type.Array(Delivery),
        meta: PageMeta,
      }),
      async (request) => {
        const webhook = await getWebhook(db, requireActor(request), pathParameter(request));
        const { rows, total } = await selectDeliveries(db, webhook.id, request.query);
        return successWithMeta(
          rows.map((row) => presentDelivery(row, webhook)),
          pageMeta(request.query, total),
        );
      },
    );

    app.post(
      `${base}/:id/replay`,
      operation({
        ...one,
        id: 'replayWebhook',
        summary: 'Deliver one event again, or all events since a time',
        description: 'At most 100,000 events, the oldest first. They keep their ids.',
        body: Replay,
        rules: ({ body }) => replayIssues(body),
        data: Replayed,
      }),
      async (request) => {
        const deliveries = await replay(db, requireActor(request), pathParameter(request), request.body);
        return success({ deliveries });
      },
    );
  };

const secretAlreadyShown = (webhookId: string): StoredResult => ({
  status: 400,
  body: {
    error:
      'The first request created the webhook, and only its response contains the secret; if it is lost, delete the webhook and create another',
    code: 'BAD_REQUEST',
    details: { reason: 'idempotency_secret_shown' satisfies ErrorReason, webhook_id: webhookId },
  },
});
