import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { ErrorReason } from '../../platform/http/error-reasons.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import type { StoredResult } from '../../platform/http/idempotency/stored-results.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { selectApiKey, selectApiKeys } from './api-keys.queries.ts';
import { ApiKey, CreateApiKey, CreatedApiKey, UpdateApiKey } from './api-keys.schemas.ts';
import {
  apiKeyIssues,
  apiKeyNotFound,
  deleteApiKey,
  issueApiKey,
  presentApiKey,
  updateApiKey,
} from './api-keys.ts';

interface Dependencies {
  db: Database;
  idempotency: Idempotency;
  encryption: Pick<Encryption, 'keyedHashes'>;
  clock: Pick<Clock, 'now'>;
  notifications: Pick<Notifications, 'publish'>;
}

const base = '/api/openapi/v1/api-keys';
const shared = { tag: 'API keys', access: 'globalKey' } as const;

export const apiKeyRoutes =
  ({ db, idempotency, encryption, clock, notifications }: Dependencies): Routes =>
  (app) => {
    app.post(
      base,
      operation({
        ...shared,
        id: 'createApiKey',
        summary: 'Create an API key; its secret is shown once',
        description:
          'A key of scope `team` sees only its team. With a `role`, a key may call only the operations that are open to this role. The name is for people. Without `expires_at`, the key does not expire.',
        body: CreateApiKey,
        rules: ({ body }) => apiKeyIssues(body, clock.now()),
        data: CreatedApiKey,
        idempotent: true,
      }),
      async (request, reply) =>
        idempotency.inTransaction(
          { request, reply },
          async (tx) => success(await issueApiKey(tx, encryption, requireActor(request), request.body)),
          { remember: ({ data }) => secretAlreadyShown(data.key_id) },
        ),
    );

    app.get(
      base,
      operation({
        ...shared,
        id: 'listApiKeys',
        summary: 'List all API keys, newest first',
        description: 'Returns all keys at once, without pages and without their secrets.',
        data: Type.Array(ApiKey),
      }),
      async () => success((await selectApiKeys(db)).map(presentApiKey)),
    );

    app.get(
      `${base}/:keyId`,
      operation({
        ...shared,
        id: 'getApiKey',
        summary: 'Get an API key, without its secret',
        description: '`last_used` is accurate to the minute.',
        data: ApiKey,
      }),
      async (request) => {
        const row = await selectApiKey(db, pathParameter(request, 'keyId'));
        if (row === undefined) throw apiKeyNotFound();
        return success(presentApiKey(row));
      },
    );

    app.patch(
      `${base}/:keyId`,
      operation({
        ...shared,
        id: 'updateApiKey',
        summary: 'Rename, activate or deactivate an API key',
        description:
          'Deactivating a key invalidates the tokens issued from it for good, also if the key is activated again. A key cannot deactivate itself.',
        body: UpdateApiKey,
        data: ApiKey,
        extension: true,
      }),
      async (request) => {
        const keyId = pathParameter(request, 'keyId');
        const key = await db
          .transaction()
          .execute((tx) => updateApiKey(tx, requireActor(request), keyId, request.body));
        notifications.publish('api-key-changed', keyId);
        return success(key);
      },
    );

    app.delete(
      `${base}/:keyId`,
      operation({
        ...shared,
        id: 'deleteApiKey',
        summary: 'Delete an API key for good, and with it the tokens issued from it',
        description:
          'The tokens become invalid within 5 seconds on every process. The key that authenticates the request cannot be deleted.',
        data: Message,
      }),
      async (request) => {
        const keyId = pathParameter(request, 'keyId');
        await db.transaction().execute((tx) => deleteApiKey(tx, requireActor(request), keyId));
        notifications.publish('api-key-changed', keyId);
        return success({ message: 'API key deleted' });
      },
    );
  };

/** The result for retries with the same Idempotency-Key. Secrets are not stored. */
const secretAlreadyShown = (keyId: string): StoredResult => ({
  status: 400,
  body: {
    error:
      'The first request created the API key, and only its response contains the secret; if it is lost, delete the API key and create another',
    code: 'BAD_REQUEST',
    details: { reason: 'idempotency_secret_shown' satisfies ErrorReason, key_id: keyId },
  },
});
