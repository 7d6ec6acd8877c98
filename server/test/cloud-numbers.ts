import assert from 'node:assert/strict';
import { after } from 'node:test';
import { addDevice, addTeamWithBot, type DevicesApp, startDevicesApp, waitForDevice } from './devices.ts';
import { type FakeGraph, type NumberCredentials, startFakeGraph } from './fake-graph/fake-graph.ts';
import { type Person, userIdFor } from './fake-graph/state.ts';

export interface CloudApp extends DevicesApp {
  graph: FakeGraph;
  addNumber(options?: { displayNumber?: string; app?: { app_secret: string } }): Promise<CloudNumber>;
}

/** A connected device on the official network. */
export interface CloudNumber {
  deviceId: string;
  teamId: string;
  botId: string;
  /** The id of the number at the network. */
  phone: string;
  credentials: NumberCredentials;
  webhookUrl: string;
}

/** An API and a pool beside the Graph API in another process. Everything stops after the tests. */
export async function startCloudApp(environment: Record<string, string> = {}): Promise<CloudApp> {
  const graph = await startFakeGraph();
  after(() => graph.stop());
  const app = await startDevicesApp({
    environment: {
      MESSAGING_NETWORK: 'simulator,whatsapp_cloud',
      WHATSAPP_CLOUD_BASE_URL: graph.url,
      ...environment,
    },
  });
  return {
    ...app,
    graph,
    async addNumber({ displayNumber = nextNumber(), app: shared } = {}) {
      const { teamId, botId } = await addTeamWithBot(app.context.db);
      const deviceId = await addDevice(app, { teamId, botId, network: 'whatsapp_cloud' });
      const credentials = await graph.addNumber(displayNumber, shared);
      const stored = await putCredentials(app, deviceId, credentials);
      const local = stored.webhook_url.replace('http://127.0.0.1:3000', app.baseUrl);
      assert.equal(await graph.setWebhook(credentials.phone_number_id, local, stored.verify_token), true);
      const { status, body } = await app.api('POST', `/devices/${deviceId}/connect`);
      assert.equal(status, 200, JSON.stringify(body));
      await waitForDevice(app, deviceId, ({ connected }) => connected === true);
      return { deviceId, teamId, botId, phone: credentials.phone_number_id, credentials, webhookUrl: local };
    },
  };
}

export async function putCredentials(
  app: Pick<DevicesApp, 'api'>,
  deviceId: string,
  credentials: NumberCredentials,
): Promise<{ webhook_url: string; verify_token: string }> {
  const { status, body } = await app.api('PUT', `/devices/${deviceId}/credentials`, { body: credentials });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

let numbers = 0;
function nextNumber(): string {
  numbers += 1;
  return `1555020${String(numbers).padStart(4, '0')}`;
}

let people = 0;

/** A person whose number the business sees. */
export function newPerson(name = 'Ann'): Person & { wa_id: string } {
  people += 1;
  const waId = `1555099${String(people).padStart(4, '0')}`;
  return { wa_id: waId, user_id: userIdFor(waId), name };
}

/** A person with a user name, whose number is hidden. */
export const newUser = (name = 'Ann'): Person => ({ ...newPerson(name), wa_id: null });
