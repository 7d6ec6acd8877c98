import { hasLiveVersion } from '../knowledge/bots/bots.sql.ts';
import { continueOperation } from '../platform/database/connection-errors.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import { requireActor } from '../platform/http/actor.ts';
import type { Routes } from '../platform/http/fastify-app.ts';
import { operation, success } from '../platform/http/operation.ts';
import { pathParameter } from '../platform/http/path-parameter.ts';
import { seesSecrets } from '../tenancy/roles/roles.ts';
import { logOutDevice, startConnection, stopConnection, waitForProgress } from './connection.ts';
import { presentStart, presentStatus } from './connection-status.ts';
import { ConnectDevice, ConnectionStatus, Device, StartedConnection } from './devices.schemas.ts';
import { type DevicePresenter, presentDevice, type ReadDevice } from './devices.ts';
import { createQrImages } from './qr-images.ts';

const base = '/api/openapi/v1/devices';

interface ConnectionRoutesDeps extends DevicePresenter {
  db: Database;
  notifications: Pick<Notifications, 'publish' | 'subscribe'>;
  readDevice: ReadDevice;
  /** How long connect waits for a QR code or a connection. */
  connectTimeoutMs?: number;
}

export const connectionRoutes =
  (deps: ConnectionRoutesDeps): Routes =>
  (app) => {
    const { db, notifications, readDevice, networks, connectTimeoutMs = 10_000 } = deps;
    const qrImages = createQrImages();

    const change = async <Result>(
      id: string,
      work: (tx: Transaction) => Promise<Result>,
    ): Promise<Result> => {
      const result = await db.transaction().execute(work);
      notifications.publish('device-changed', id);
      return result;
    };

    app.post(
      `${base}/:id/connect`,
      operation({
        id: 'connectDevice',
        summary: 'Start the connection; returns when there is a code for the phone, or after 10 seconds',
        description:
          'A device that is linked already connects without a code. Without a scan within 3 minutes, the device is stopped again.',
        tag: 'Devices',
        access: 'anyKey',
        resource: 'device',
        body: ConnectDevice,
        data: StartedConnection,
      }),
      async (request) => {
        const id = pathParameter(request);
        const actor = requireActor(request);
        const { pairing_phone_number: number } = request.body;
        await change(id, (tx) => startConnection(tx, actor, id, networks, number));
        const progress = () => waitForProgress(deps, actor, id, connectTimeoutMs);
        const device = await continueOperation(progress);
        const botIsPublished = await continueOperation(() => hasLiveVersion(db, device.bot_id));
        return success(presentStart(device, { botIsPublished }));
      },
    );

    app.get(
      `${base}/:id/status`,
      operation({
        id: 'getDeviceStatus',
        summary: 'Get the connection status, with the QR code while there is one to scan',
        description:
          '`qr_code` is present while the device waits for a scan, `phone_number` while it is connected. QR codes change; poll once a second. Roles below editor get no code, because a code links a phone.',
        tag: 'Devices',
        access: 'anyKey',
        resource: 'device',
        data: ConnectionStatus,
      }),
      async (request, reply) => {
        const actor = requireActor(request);
        const device = await readDevice(actor, pathParameter(request));
        const status = await presentStatus(device, qrImages, {
          withCodes: seesSecrets(actor, 'updateDevice'),
        });
        if (status.qr_code !== undefined || status.pairing_code !== undefined)
          reply.header('cache-control', 'no-store');
        return success(status);
      },
    );

    for (const { name, summary, description, act } of [
      {
        name: 'stop',
        summary: 'End the connection; the phone stays linked',
        description: 'The device can be connected again without a scan.',
        act: stopConnection,
      },
      {
        name: 'logout',
        summary: 'End the connection and unlink the phone',
        description: 'The next connection needs a scan.',
        act: logOutDevice,
      },
    ]) {
      app.post(
        `${base}/:id/${name}`,
        operation({
          id: `${name}Device`,
          summary,
          description,
          tag: 'Devices',
          access: 'anyKey',
          resource: 'device',
          data: Device,
          extension: true,
        }),
        async (request) => {
          const id = pathParameter(request);
          const device = await change(id, (tx) => act(tx, requireActor(request), id));
          return success(presentDevice(deps, requireActor(request), device));
        },
      );
    }
  };
