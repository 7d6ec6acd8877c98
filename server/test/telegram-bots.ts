import assert from 'node:assert/strict';
import { after } from 'node:test';
import { addDevice, addTeamWithBot, type DevicesApp, startDevicesApp, waitForDevice } from './devices.ts';
import { type FakeTelegramBot, startFakeTelegram } from './fake-telegram/fake-telegram.ts';

export const ada = { id: 501, first_name: 'Ada', last_name: 'Byron' };

export interface TelegramApp extends DevicesApp {
  /** Creates a bot of Telegram to which Ada can write, and a connected device with its token. */
  addBot(): Promise<{
    deviceId: string;
    teamId: string;
    bot: FakeTelegramBot;
    webhookUrl: string;
    verifyToken: string;
  }>;
}

/** An API beside the Bot API in another process. Tests start the pools. */
export async function startTelegramApp(environment: Record<string, string> = {}): Promise<TelegramApp> {
  const telegram = await startFakeTelegram();
  after(() => telegram.stop());
  const app = await startDevicesApp({
    environment: {
      MESSAGING_NETWORK: 'simulator,telegram',
      TELEGRAM_BASE_URL: telegram.url,
      ...environment,
    },
  });
  return {
    ...app,
    async addBot() {
      const { teamId, botId } = await addTeamWithBot(app.context.db);
      const deviceId = await addDevice(app, { teamId, botId, network: 'telegram' });
      const bot = await telegram.createBot([ada]);
      const stored = await app.api('PUT', `/devices/${deviceId}/credentials`, {
        body: { bot_token: bot.token },
      });
      assert.equal(stored.status, 200, JSON.stringify(stored.body));
      assert.equal((await app.api('POST', `/devices/${deviceId}/connect`)).status, 200);
      await waitForDevice(app, deviceId, ({ connected }) => connected === true);
      const webhookUrl = new URL(new URL(stored.body.data.webhook_url).pathname, app.baseUrl).href;
      const { verify_token: verifyToken } = stored.body.data;
      return { deviceId, teamId, bot, webhookUrl, verifyToken };
    },
  };
}
