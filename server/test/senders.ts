import { consentRoutes } from '../src/chat/consents/consents.routes.ts';
import { messageRoutes } from '../src/chat/messages/messages.routes.ts';
import type { MessageSources } from '../src/chat/messages/prepare-message.ts';
import { sendRoutes } from '../src/chat/messages/send.routes.ts';
import { connectionRoutes } from '../src/devices/connection.routes.ts';
import { deviceRoutes } from '../src/devices/devices.routes.ts';
import { contactRoutes } from '../src/lifecycle/contacts/contacts.routes.ts';
import { badRequest } from '../src/platform/http/errors.ts';
import {
  addDevice,
  addTeamWithBot,
  type DevicesApp,
  linkDevice,
  newPhone,
  startDevicesApp,
} from './devices.ts';

/** The default recipient. */
export const contact = '+15550199';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Sender {
  teamId: string;
  botId: string;
  deviceId: string;
  phone: string;
}

/** An API that sends through one pool. Tests may replace its external sources. */
interface SendingApp extends DevicesApp {
  sources: MessageSources;
  /** URLs of requested images. Requests with `missing` in the URL fail. */
  fetched: string[];
  addSender(options?: { plan?: string }): Promise<Sender>;
  /** Sends to `contact`. `members` extends or overrides the body. */
  send(
    sender: Pick<Sender, 'deviceId'>,
    members?: object,
    headers?: Record<string, string>,
  ): ReturnType<DevicesApp['api']>;
  /** Returns the charged active messages of a team. */
  usedBy(teamId: string): Promise<number>;
}

export async function startSendingApp(): Promise<SendingApp> {
  const fetched: string[] = [];
  const sources: MessageSources = {
    async fetchImage(url) {
      fetched.push(url);
      if (url.includes('missing'))
        throw badRequest('image_unavailable', 'not there', { cause: 'bad_status' });
      return { bytes: png, mimeType: 'image/png' };
    },
    synthesize: null,
    rewrite: null,
  };
  const app = await startDevicesApp({
    routes: (f) => [
      deviceRoutes(f),
      connectionRoutes(f),
      messageRoutes(f),
      consentRoutes(f),
      contactRoutes(f),
      sendRoutes({ ...f, outcomeTimeoutMs: 1500, sources }),
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
