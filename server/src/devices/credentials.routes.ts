import type { Database } from '../platform/database/database.ts';
import { requireActor } from '../platform/http/actor.ts';
import type { Routes } from '../platform/http/fastify-app.ts';
import { operation, success } from '../platform/http/operation.ts';
import { pathParameter } from '../platform/http/path-parameter.ts';
import { Credentials, StoredDeviceCredentials } from './credentials.schemas.ts';
import { type CredentialDeps, putCredentials } from './credentials.ts';

export const credentialRoutes =
  ({ db, ...deps }: CredentialDeps & { db: Database }): Routes =>
  (app) => {
    app.put(
      '/api/openapi/v1/devices/:id/credentials',
      operation({
        id: 'putDeviceCredentials',
        summary: 'Store the credentials with which a stopped device connects to its network',
        description:
          'Only for networks whose `capabilities.credentials` is true. The network checks them when the device connects: wrong ones stop it with `credentials_invalid`.',
        tag: 'Devices',
        access: 'anyKey',
        resource: 'device',
        body: Credentials,
        data: StoredDeviceCredentials,
        extension: true,
      }),
      async (request, reply) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        reply.header('cache-control', 'no-store');
        return success(
          await db.transaction().execute((tx) => putCredentials(tx, deps, actor, id, request.body)),
        );
      },
    );
  };
