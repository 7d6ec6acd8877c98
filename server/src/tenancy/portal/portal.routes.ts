import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import type { SignInLimits } from '../people/sign-in-limits.ts';
import { CreatePortalLink, PortalLink, PortalSession, PortalToken } from './portal.schemas.ts';
import { createPortalLink, openPortal } from './portal.ts';

/** `baseUrl` is the public address of the deployment. Default: the address of the request. */
export const portalLinkRoutes =
  ({ db, baseUrl }: { db: Database; baseUrl: string | null }): Routes =>
  (app) => {
    app.post(
      '/api/openapi/v1/portal-links',
      operation({
        id: 'createPortalLink',
        summary: 'Create an address that opens the console for one team',
        description:
          'For a page of your own product. The address works once and needs no login. The session that begins there has the role and the pages of the link for an hour, and ends with the caller: with its key, or with the person. Nobody gives a role above the own one; `support` gives up to `agent`.',
        tag: 'Teams',
        access: 'anyKey',
        extension: true,
        body: CreatePortalLink,
        data: PortalLink,
      }),
      async (request, reply) => {
        const { token, expiresAt } = await db
          .transaction()
          .execute((tx) => createPortalLink(tx, requireActor(request), request.body));
        reply.header('cache-control', 'no-store');
        const address = baseUrl ?? `${request.protocol}://${request.host}`;
        return success({
          // Browsers send no fragment, so the token stays out of logs.
          url: `${address.replace(/\/$/, '')}/console/portal#${token}`,
          expires_at: timestamp(expiresAt),
        });
      },
    );
  };

/** Of the operations that begin a session: the caller checks that a page of this deployment sends the request. */
export function portalSessionRoute(
  app: App,
  { db, limits }: { db: Database; limits: Pick<SignInLimits, 'count'> },
  base: string,
): void {
  app.post(
    `${base}/portal`,
    operation({
      id: 'openPortal',
      summary: 'Begin a session with a portal link',
      description:
        'Uses the link up. The session is a bearer token for the memory of the page, because a browser sends no cookie to a page in a frame of another site.',
      tag: 'Signing in',
      access: 'public',
      extension: true,
      errors: [401, 403, 429],
      body: PortalToken,
      data: PortalSession,
    }),
    async (request, reply) => {
      limits.count(request.ip);
      const session = await db.transaction().execute((tx) => openPortal(tx, request.body.token));
      reply.header('cache-control', 'no-store');
      return success(session);
    },
  );
}
