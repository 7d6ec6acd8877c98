import { Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { ReadList } from '../platform/database/read-list.ts';
import { requireActor } from '../platform/http/actor.ts';
import type { App, Routes } from '../platform/http/fastify-app.ts';
import type { Idempotency } from '../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../platform/http/pagination.ts';
import { pathParameter } from '../platform/http/path-parameter.ts';
import { selectDevices } from './devices.queries.ts';
import { CreateDevice, Device, ListDevices, UpdateDevice } from './devices.schemas.ts';
import {
  changeDevice,
  createDevice,
  type DevicePresenter,
  deleteDevice,
  type EndMessages,
  presentDevice,
  type ReadDevice,
  revokeDeviceToken,
} from './devices.ts';

interface DeviceRoutesDeps extends DevicePresenter {
  db: Database;
  readList: ReadList;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
  readDevice: ReadDevice;
  endMessagesOfDeletedDevice: EndMessages;
}

const base = '/api/openapi/v1/devices';

export const deviceRoutes =
  (deps: DeviceRoutesDeps): Routes =>
  (app) => {
    collectionRoutes(app, deps);
    memberRoutes(app, deps);
    tokenRoutes(app, deps);
  };

function collectionRoutes(app: App, deps: DeviceRoutesDeps): void {
  const { readList, idempotency, networks } = deps;
  app.post(
    base,
    operation({
      id: 'createDevice',
      summary: 'Create a stopped device on the pool with the most free places',
      description: 'The bot must belong to the team. Connect the device to get a QR code.',
      tag: 'Devices',
      access: 'anyKey',
      body: CreateDevice,
      data: Device,
      idempotent: true,
    }),
    async (request, reply) =>
      idempotency.inTransaction({ request, reply }, async (tx) =>
        success(
          presentDevice(
            deps,
            requireActor(request),
            await createDevice(tx, requireActor(request), request.body, networks),
          ),
        ),
      ),
  );

  app.get(
    base,
    operation({
      id: 'listDevices',
      summary: 'List devices, newest first',
      description: 'Filters combine. A page past the end is empty.',
      tag: 'Devices',
      access: 'anyKey',
      query: ListDevices,
      data: Type.Array(Device),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const { rows, total } = await readList((db) =>
        selectDevices(db, requireActor(request).scope, request.query),
      );
      return successWithMeta(
        rows.map((row) => presentDevice(deps, requireActor(request), row)),
        pageMeta(request.query, total, rows),
      );
    },
  );
}

function memberRoutes(app: App, deps: DeviceRoutesDeps): void {
  const { db, readDevice, notifications, endMessagesOfDeletedDevice } = deps;
  app.get(
    `${base}/:id`,
    operation({
      id: 'getDevice',
      summary: 'Get a device',
      description: '`connected` means that the connection is up and the pool that holds it is alive.',
      tag: 'Devices',
      access: 'anyKey',
      resource: 'device',
      data: Device,
    }),
    async (request) =>
      success(
        presentDevice(
          deps,
          requireActor(request),
          await readDevice(requireActor(request), pathParameter(request)),
        ),
      ),
  );

  app.patch(
    `${base}/:id`,
    operation({
      id: 'updateDevice',
      summary: 'Rename a device or bind it to another bot',
      description: 'Works while the device is connected. The next answer comes from the new bot.',
      tag: 'Devices',
      access: 'anyKey',
      resource: 'device',
      body: UpdateDevice,
      data: Device,
      extension: true,
    }),
    async (request) => {
      const change = db
        .transaction()
        .execute((tx) => changeDevice(tx, requireActor(request), pathParameter(request), request.body));
      return success(presentDevice(deps, requireActor(request), await change));
    },
  );

  app.delete(
    `${base}/:id`,
    operation({
      id: 'deleteDevice',
      summary: 'Delete a stopped device; a linked one is unlinked from its phone',
      description: 'While the device is started, the response is 400 `device_not_stopped`.',
      tag: 'Devices',
      access: 'anyKey',
      resource: 'device',
      data: Message,
    }),
    async (request) => {
      const id = pathParameter(request);
      await db
        .transaction()
        .execute((tx) => deleteDevice(tx, requireActor(request), id, endMessagesOfDeletedDevice));
      notifications.publish('device-changed', id);
      return success({ message: 'Device deleted' });
    },
  );
}

function tokenRoutes(app: App, deps: DeviceRoutesDeps): void {
  const { db } = deps;
  app.post(
    `${base}/:id/revoke-token`,
    operation({
      id: 'revokeDeviceToken',
      summary: 'Replace the token of a device; the old one is invalid at once',
      description: 'The response contains the new token.',
      tag: 'Devices',
      access: 'anyKey',
      resource: 'device',
      data: Device,
      extension: true,
    }),
    async (request) => {
      const id = pathParameter(request);
      const device = await db.transaction().execute((tx) => revokeDeviceToken(tx, requireActor(request), id));
      return success(presentDevice(deps, requireActor(request), device));
    },
  );
}
