import type { FastifyReply, FastifyRequest } from 'fastify';
import { continueOperation } from '../platform/database/connection-errors.ts';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import { requireActor } from '../platform/http/actor.ts';
import type { Routes } from '../platform/http/fastify-app.ts';
import { timestamp } from '../platform/http/fields.ts';
import { createAttemptCounter } from '../platform/http/limits/attempts.ts';
import { Message, operation, success } from '../platform/http/operation.ts';
import { pathParameter } from '../platform/http/path-parameter.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { Brand } from '../tenancy/brands/brands.schemas.ts';
import { readBrand } from '../tenancy/brands/brands.ts';
import type { Outbox } from '../tenancy/people/mails.ts';
import { startConnection, waitForProgress } from './connection.ts';
import type { Credentials } from './credentials.schemas.ts';
import { type CredentialDeps, putCredentials } from './credentials.ts';
import { lockDevice } from './devices.queries.ts';
import type { ReadDevice } from './devices.ts';
import {
  ConnectLink,
  CreateDeviceLink,
  DeviceLink,
  LinkCredentials,
  LinkStatus,
  LinkToken,
} from './link.schemas.ts';
import { createLink, endLink, type OpenedLink, openLink, readLinkStatus } from './link.ts';
import { createQrImages } from './qr-images.ts';

const maxUnknownPerMinute = 60;
/** The page polls every two seconds. */
const maxUsesPerMinute = 120;

/** Enough for all credentials of their maximum length, escaped. */
const maxCredentialsBytes = 64 * 1024;

interface LinkRoutesDeps {
  db: Database;
  notifications: Pick<Notifications, 'publish' | 'subscribe'>;
  readDevice: ReadDevice;
  /** The public address of the deployment. Default: the address of the request. */
  baseUrl: string | null;
  networks: DeviceNetworks;
  credentials: Omit<CredentialDeps, 'networks'>;
  /** Null: the deployment sends no mail. */
  outbox: Outbox | null;
}

export const linkRoutes =
  (deps: LinkRoutesDeps): Routes =>
  (app) => {
    const { db, notifications, baseUrl, networks, outbox } = deps;
    const countUnknown = createAttemptCounter(maxUnknownPerMinute);
    const countUse = createAttemptCounter(maxUsesPerMinute);
    const qrImages = createQrImages();
    const open = (request: FastifyRequest<{ Body: { token: string } }>) =>
      openLink({ db, countUnknown, countUse }, request.body.token, request.ip);
    const present = async (link: OpenedLink, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store');
      return success(await readLinkStatus({ ...deps, qrImages }, link));
    };

    app.post(
      '/api/openapi/v1/devices/:id/link',
      operation({
        id: 'createDeviceLink',
        summary: 'Create an address at which a person links a phone without a login',
        description:
          'The address shows the live QR code and the progress, and no QR code once a phone is linked. It replaces the earlier address of the device. With `email`, the service mails it: at most 5 times an hour for a device.',
        tag: 'Devices',
        access: 'anyKey',
        resource: 'device',
        body: CreateDeviceLink,
        data: DeviceLink,
        extension: true,
      }),
      async (request, reply) => {
        const id = pathParameter(request);
        const create = db
          .transaction()
          .execute((tx) => createLink({ tx, outbox }, requireActor(request), id, request.body));
        const { token, expiresAt } = await create;
        reply.header('cache-control', 'no-store');
        const address = baseUrl ?? `${request.protocol}://${request.host}`;
        return success({
          // Browsers send no fragment, so the token stays out of logs.
          url: `${address.replace(/\/$/, '')}/console/link#${token}`,
          expires_at: timestamp(expiresAt),
        });
      },
    );

    app.delete(
      '/api/openapi/v1/devices/:id/link',
      operation({
        id: 'deleteDeviceLink',
        summary: 'End the address at which a phone can be linked',
        description: 'Also if there is none.',
        tag: 'Devices',
        access: 'anyKey',
        resource: 'device',
        data: Message,
        extension: true,
      }),
      async (request) => {
        const id = pathParameter(request);
        await db.transaction().execute((tx) => endLink(tx, requireActor(request), id));
        return success({ message: 'Link ended' });
      },
    );

    const shared = {
      tag: 'Devices',
      access: 'public',
      data: LinkStatus,
      extension: true,
    } as const;
    app.post(
      '/api/openapi/link/status',
      operation({
        id: 'getLinkStatus',
        summary: 'Get the progress of linking a phone with the token of a link',
        description: "For pages without a login. The token is the part of the link's address after `#`.",
        ...shared,
        body: LinkToken,
        readOnly: true,
        errors: [404, 429],
      }),
      async (request, reply) => present(await open(request), reply),
    );

    app.post(
      '/api/openapi/link/brand',
      operation({
        ...shared,
        id: 'getLinkBrand',
        summary: 'Get the brand of the team with the token of a link',
        description: "For pages without a login. The token is the part of the link's address after `#`.",
        body: LinkToken,
        data: Brand,
        readOnly: true,
        errors: [404, 429],
      }),
      async (request, reply) => {
        const link = await open(request);
        reply.header('cache-control', 'no-store');
        return success(await readBrand(db, link.team_id));
      },
    );

    app.post(
      '/api/openapi/link/credentials',
      {
        ...operation({
          id: 'putLinkCredentials',
          summary: 'Store the credentials of a device with the token of a link, and connect with them',
          description: "For pages without a login. The token is the part of the link's address after `#`.",
          ...shared,
          body: LinkCredentials,
          errors: [404, 429],
        }),
        bodyLimit: maxCredentialsBytes,
      },
      async (request, reply) => {
        const link = await open(request);
        const { token: _, ...given } = request.body;
        const stored = link.used ? null : await storeAndStart(deps, link, given);
        if (stored !== null) {
          notifications.publish('device-changed', link.device_id);
          await continueOperation(() => waitForProgress(deps, link.actor, link.device_id, 10_000));
        }
        const { data } = await present(link, reply);
        return success({ ...data, ...stored });
      },
    );

    app.post(
      '/api/openapi/link/connect',
      operation({
        id: 'connectLink',
        summary: 'Start the connection with the token of a link, unless it is started',
        description: "For pages without a login. The token is the part of the link's address after `#`.",
        ...shared,
        body: ConnectLink,
        errors: [404, 429],
      }),
      async (request, reply) => {
        const link = await open(request);
        const { actor, device_id: id } = link;
        const started =
          !link.used && (await startIfStopped({ db, networks }, link, request.body.pairing_phone_number));
        if (started) {
          notifications.publish('device-changed', id);
          await continueOperation(() => waitForProgress(deps, actor, id, 10_000));
        }
        return present(link, reply);
      },
    );
  };

/** Stores the credentials and starts the connection, which checks them. Null: the device is linked, or connecting. */
const storeAndStart = (
  { db, networks, credentials }: Pick<LinkRoutesDeps, 'db' | 'networks' | 'credentials'>,
  { actor, device_id: id }: OpenedLink,
  given: Credentials,
) =>
  db.transaction().execute(async (tx) => {
    const device = await lockDevice(tx, actor.scope, id);
    if (device?.status !== 'stopped' || device.logged_in) return null;
    const stored = await putCredentials(tx, { ...credentials, networks }, actor, id, given);
    await startConnection(tx, actor, id, networks);
    return { webhook_url: stored.webhook_url, verify_token: stored.verify_token };
  });

const startIfStopped = (
  { db, networks }: Pick<LinkRoutesDeps, 'db' | 'networks'>,
  { actor, device_id: id }: OpenedLink,
  pairingNumber: string | undefined,
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const device = await lockDevice(tx, actor.scope, id);
    if (device?.status !== 'stopped' || device.logged_in) return false;
    await startConnection(tx, actor, id, networks, pairingNumber);
    return true;
  });
