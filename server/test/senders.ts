import { connectionRoutes } from '../src/devices/connection.routes.ts';
import { deviceRoutes } from '../src/devices/devices.routes.ts';
import { badRequest } from '../src/http/errors.ts';
import { messageRoutes } from '../src/messages/messages.routes.ts';
import type { MessageSources } from '../src/messages/prepare-message.ts';
import { sendRoutes } from '../src/messages/send.routes.ts';
import {
  addDevice,
  addTeamWithBot,
  type DevicesApp,
  linkDevice,
  newPhone,
  startDevicesApp,
} from './devices.ts';

/** Whom a test's messages go to. */
export const contact = '+15550199';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A team with a connected device. */
interface Sender {
  teamId: string;
  botId: string;
  deviceId: string;
  phone: string;
}

/** An api that sends through one pool, and the outside that messages need: a test replaces what it is about. */
interface SendingApp extends DevicesApp {
  sources: MessageSources;
  /** Addresses of images that were asked for, those with `missing` in them in vain. */
  fetched: string[];
  addSender(options?: { plan?: string }): Promise<Sender>;
  /** Sends to `contact`. `members` of the body beside, or in place of, the usual ones. */
  send(
    sender: Pick<Sender, 'deviceId'>,
    members?: object,
    headers?: Record<string, string>,
  ): ReturnType<DevicesApp['api']>;
  /** Active messages that the team was charged for. */
  usedBy(teamId: string): Promise<number>;
}

export async function startSendingApp(): Promise<SendingApp> {
  const fetched: string[] = [];
  const sources: MessageSources = {
    async fetchImage(url) {
      fetched.push(url);
      if (url.includes('missing')) throw badRequest('image_unavailable', 'not there');
      return { bytes: png, mimeType: 'image/png' };
    },
    speech: null,
    rewrite: null,
  };
  const app = await startDevicesApp({
    routes: (f) => [
      deviceRoutes(f),
      connectionRoutes(f),
      messageRoutes(f),
      sendRoutes({ ...f, settleTimeoutMs: 1500, sources }),
    ],
  });
  const { db } = app.context;
  await app.startPool({ ackTimeoutMs: 300 });
  return {
    ...app,
    sources,
    fetched,
    async addSender(options = {}) {
      const ids = await addTeamWithBot(db, options);
      const deviceId = await addDevice(app, ids);
      const phone = newPhone();
      await linkDevice(app, deviceId, phone);
      return { ...ids, deviceId, phone };
    },
    send: ({ deviceId }, members = {}, headers = {}) =>
      app.api('POST', '/send', {
        body: {
          device_id: deviceId,
          message: 'Your bicycle is ready',
          destination_number: contact,
          ...members,
        },
        headers,
      }),
    async usedBy(teamId) {
      const row = await db
        .selectFrom('monthly_usage')
        .select((eb) => eb.fn.sum<number>('active_messages').as('used'))
        .where('team_id', '=', teamId)
        .executeTakeFirstOrThrow();
      return Number(row.used ?? 0);
    },
  };
}
