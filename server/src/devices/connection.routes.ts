import type { Database, Transaction } from '../database/database.ts';
import { onceBegun } from '../database/not-reached.ts';
import type { Notifications } from '../database/notifications.ts';
import { actorOf } from '../http/actor.ts';
import type { Routes } from '../http/app.ts';
import { operation, success } from '../http/operation.ts';
import type { Encryption } from '../shared/encryption.ts';
import { beginConnection, connectionProgress, endConnection, endLink } from './connection.ts';
import { presentStart, presentStatus } from './connection-status.ts';
import { createTokenOfDevice } from './device-token.ts';
import { ConnectionStatus, Device, StartedConnection } from './devices.schemas.ts';
import { getDevice, presentDevice } from './devices.ts';
import { createQrImages } from './qr-images.ts';

const base = '/api/openapi/v1/devices';

interface ConnectionRoutesDeps {
  db: Database;
  notifications: Pick<Notifications, 'publish' | 'subscribe'>;
  encryption: Pick<Encryption, 'keyedHash'>;
  /** How long connect waits for something to show. */
  connectTimeoutMs?: number;
}

/** Connecting and its undoing: what changes a device's state. */
export const connectionRoutes =
  (deps: ConnectionRoutesDeps): Routes =>
  (app) => {
    const { db, notifications, encryption, connectTimeoutMs = 10_000 } = deps;
    const qrImages = createQrImages();
    const tokenOf = createTokenOfDevice(encryption);

    /** One transaction on the device, after which its pool looks at it. */
    const change = async <Result>(
      id: string,
      work: (tx: Transaction) => Promise<Result>,
    ): Promise<Result> => {
      const result = await db.transaction().execute(work);
      notifications.publish('device-changed', id.toLowerCase());
      return result;
    };

    app.post<{ Params: { id: string } }>(
      `${base}/:id/connect`,
      operation({
        id: 'connectDevice',
        summary: 'Start the connection; answers when there is a QR code to scan, or after 10 seconds',
        tag: 'Devices',
        access: 'any',
        resource: 'device',
        data: StartedConnection,
      }),
      async (request) => {
        const { id } = request.params;
        const actor = actorOf(request);
        await change(id, (tx) => beginConnection(tx, actor, id));
        const progress = () => connectionProgress(deps, actor, id, connectTimeoutMs);
        return success(presentStart(await onceBegun(progress)));
      },
    );

    app.get<{ Params: { id: string } }>(
      `${base}/:id/status`,
      operation({
        id: 'getDeviceStatus',
        summary: 'Get the connection status, with the QR code while there is one to scan',
        tag: 'Devices',
        access: 'any',
        resource: 'device',
        data: ConnectionStatus,
      }),
      async (request, reply) => {
        const device = await getDevice(db, actorOf(request), request.params.id);
        const status = await presentStatus(device, qrImages);
        if (status.qr_code !== undefined) reply.header('cache-control', 'no-store');
        return success(status);
      },
    );

    app.post<{ Params: { id: string } }>(
      `${base}/:id/stop`,
      operation({
        id: 'stopDevice',
        summary: 'End the connection; the phone stays linked',
        tag: 'Devices',
        access: 'any',
        resource: 'device',
        data: Device,
        extension: true,
      }),
      async (request) => {
        const { id } = request.params;
        const device = await change(id, (tx) => endConnection(tx, actorOf(request), id));
        return success(presentDevice(tokenOf, device));
      },
    );

    app.post<{ Params: { id: string } }>(
      `${base}/:id/logout`,
      operation({
        id: 'logoutDevice',
        summary: 'End the connection and unlink the phone',
        tag: 'Devices',
        access: 'any',
        resource: 'device',
        data: Device,
        extension: true,
      }),
      async (request) => {
        const { id } = request.params;
        const device = await change(id, (tx) => endLink(tx, actorOf(request), id));
        return success(presentDevice(tokenOf, device));
      },
    );
  };
