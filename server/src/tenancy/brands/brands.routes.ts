import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { BrandedHosts } from './branded-hosts.ts';
import { Brand, Host, PutBrand, PutHost } from './brands.schemas.ts';
import { deleteHost, getBrand, getHost, hostNameIssues, putBrand, putHost } from './brands.ts';

const base = '/api/openapi/v1';

export const brandRoutes =
  ({
    db,
    notifications,
    brandedHosts,
  }: {
    db: Database;
    notifications: Pick<Notifications, 'publish'>;
    /** Knows changed hosts before the response. */
    brandedHosts: Pick<BrandedHosts, 'load'>;
  }): Routes =>
  (app) => {
    const ofTeam = { tag: 'Teams', access: 'anyKey', extension: true, resource: 'team' } as const;

    app.get(
      `${base}/teams/:id/brand`,
      operation({
        ...ofTeam,
        id: 'getBrand',
        summary: 'Read the brand of a team',
        description: 'A value that is null is as `BRAND_NAME`, `BRAND_COLOR` and `BRAND_LOGO_URL` say.',
        data: Brand,
      }),
      async (request) => success(await getBrand(db, requireActor(request), pathParameter(request))),
    );

    app.put(
      `${base}/teams/:id/brand`,
      operation({
        ...ofTeam,
        id: 'putBrand',
        summary: 'Replace the brand of a team',
        description:
          'The console shows it to people of the team, in portals, at links that link a phone and at the hosts of the team. Mails to people of the team have its name and its colour. An absent value is as the deployment has it.',
        body: PutBrand,
        data: Brand,
      }),
      async (request) => {
        const id = pathParameter(request);
        const brand = await db
          .transaction()
          .execute((tx) => putBrand(tx, requireActor(request), id, request.body));
        notifications.publish('brand-changed', id);
        return success(brand);
      },
    );

    const ofHost = { tag: 'Teams', access: 'globalKey', extension: true } as const;

    app.get(
      `${base}/hosts/:name`,
      operation({
        ...ofHost,
        id: 'getHost',
        summary: 'Read which team a host name belongs to',
        description: 'Upper case, a port and letters beyond ASCII are normalized.',
        resource: 'host',
        data: Host,
      }),
      async (request) => success(await getHost(db, pathParameter(request, 'name'))),
    );

    app.put(
      `${base}/hosts/:name`,
      operation({
        ...ofHost,
        id: 'putHost',
        summary: 'Show the brand of a team at a host name',
        description:
          'The deployment then responds to the name, as if it were in `ALLOWED_HOSTS`, and the console shows the brand before anybody signs in. Point the name at the deployment yourself. A name has one team: another one takes it over.',
        creates: true,
        body: PutHost,
        rules: ({ path }) => hostNameIssues(path['name'] ?? ''),
        data: Host,
      }),
      async (request) => {
        const name = pathParameter(request, 'name');
        const host = await db
          .transaction()
          .execute((tx) => putHost(tx, requireActor(request), name, request.body.team_id));
        await brandedHosts.load();
        notifications.publish('brand-changed', host.team_id);
        return success(host);
      },
    );

    app.delete(
      `${base}/hosts/:name`,
      operation({
        ...ofHost,
        id: 'deleteHost',
        summary: 'Remove a host name',
        description: 'The deployment refuses requests to it, unless it is in `ALLOWED_HOSTS`.',
        resource: 'host',
        data: Message,
      }),
      async (request) => {
        await db.transaction().execute((tx) => deleteHost(tx, pathParameter(request, 'name')));
        await brandedHosts.load();
        notifications.publish('brand-changed', '');
        return success({ message: 'Host removed' });
      },
    );
  };
