import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { actorOf } from '../http/actor.ts';
import type { App, Routes } from '../http/app.ts';
import type { Once } from '../http/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../http/operation.ts';
import { PageMeta, pageMeta } from '../http/pagination.ts';
import type { Encryption } from '../shared/encryption.ts';
import { createTokenOfDevice, type TokenOfDevice } from './device-token.ts';
import { selectDevices } from './devices.queries.ts';
import { CreateDevice, Device, ListDevices, UpdateDevice } from './devices.schemas.ts';
import { changeDevice, createDevice, deleteDevice, getDevice, presentDevice } from './devices.ts';

interface DeviceRoutesDeps {
  db: Database;
  once: Once;
  notifications: Pick<Notifications, 'publish'>;
  encryption: Pick<Encryption, 'keyedHash'>;
}

const base = '/api/openapi/v1/devices';

export const deviceRoutes =
  ({ encryption, ...dependencies }: DeviceRoutesDeps): Routes =>
  (app) => {
    const shared = { ...dependencies, tokenOf: createTokenOfDevice(encryption) };
    collectionRoutes(app, shared);
    memberRoutes(app, shared);
  };

type Shared = Omit<DeviceRoutesDeps, 'encryption'> & { tokenOf: TokenOfDevice };

function collectionRoutes(app: App, { db, once, tokenOf }: Shared): void {
  app.post(
    base,
    operation({
      id: 'createDevice',
      summary: 'Create a stopped device on the pool with the most free places',
      tag: 'Devices',
      access: 'any',
      body: CreateDevice,
      data: Device,
      idempotent: true,
    }),
    async (request, reply) =>
      once.inTransaction({ request, reply }, async (tx) =>
        success(presentDevice(tokenOf, await createDevice(tx, actorOf(request), request.body))),
      ),
  );

  app.get(
    base,
    operation({
      id: 'listDevices',
      summary: 'List devices, newest first',
      tag: 'Devices',
      access: 'any',
      query: ListDevices,
      data: Type.Array(Device),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const { devices, total } = await selectDevices(db, actorOf(request).scope, request.query);
      return successWithMeta(
        devices.map((row) => presentDevice(tokenOf, row)),
        pageMeta(request.query, total),
      );
    },
  );
}

function memberRoutes(app: App, { db, tokenOf, notifications }: Shared): void {
  app.get<{ Params: { id: string } }>(
    `${base}/:id`,
    operation({
      id: 'getDevice',
      summary: 'Get a device',
      tag: 'Devices',
      access: 'any',
      resource: 'device',
      data: Device,
    }),
    async (request) =>
      success(presentDevice(tokenOf, await getDevice(db, actorOf(request), request.params.id))),
  );

  app.patch<{ Params: { id: string }; Body: UpdateDevice }>(
    `${base}/:id`,
    operation({
      id: 'updateDevice',
      summary: 'Rename a device or bind it to another bot',
      tag: 'Devices',
      access: 'any',
      resource: 'device',
      body: UpdateDevice,
      data: Device,
      extension: true,
    }),
    async (request) => {
      const change = db
        .transaction()
        .execute((tx) => changeDevice(tx, actorOf(request), request.params.id, request.body));
      return success(presentDevice(tokenOf, await change));
    },
  );

  app.delete<{ Params: { id: string } }>(
    `${base}/:id`,
    operation({
      id: 'deleteDevice',
      summary: 'Delete a stopped device; a linked one is unlinked from its phone',
      tag: 'Devices',
      access: 'any',
      resource: 'device',
      data: Message,
    }),
    async (request) => {
      await db.transaction().execute((tx) => deleteDevice(tx, actorOf(request), request.params.id));
      notifications.publish('device-changed', request.params.id.toLowerCase());
      return success({ message: 'Device deleted' });
    },
  );
}
