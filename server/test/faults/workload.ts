import assert from 'node:assert/strict';
import { newId } from '../../src/platform/shared/ids.ts';
import type { ApiBody, CallOptions } from '../api-client.ts';
import { addDevice, addTeamWithBot, type DevicesApp, linkDevice, newPhone } from '../devices.ts';
import { eventually } from '../eventually.ts';

/** A request that must take effect once. */
export interface Operation {
  path: string;
  /** Called for each attempt, because a form can be sent only once. */
  body(): CallOptions['body'];
  /** Returns how often it took effect, in Parley and in external services. */
  times(): Promise<number>;
  /** Whether the response of a retry equals the first result. */
  isFirstResult(answer: { status: number; body: ApiBody }): Promise<boolean>;
}

/** Creates a new request for every operation that takes an Idempotency-Key, by operation id. */
export type Operations = Record<string, () => Promise<Operation>>;

/** Each request has its own team. Messages go through one linked device, each to another contact. */
export async function prepareOperations(app: DevicesApp): Promise<Operations> {
  const phone = newPhone();
  const ids = await addTeamWithBot(app.context.db);
  const deviceId = await addDevice(app, ids);
  await linkDevice(app, deviceId, phone);
  const device = { app, phone, deviceId };
  return {
    createApiKey: async () => keyOperation(app),
    createTeam: async () => teamOperation(app),
    createTeamMember: async () => {
      const { teamId } = await addTeamWithBot(app.context.db, { plan: 'pro' });
      return memberOperation(app, `/teams/${teamId}/members`, 'agent');
    },
    createUser: async () => memberOperation(app, '/users', 'support'),
    createWebhook: () => webhookOperation(app),
    createBot: () => botOperation(app),
    createDevice: () => deviceOperation(app),
    uploadDocument: () => documentOperation(app),
    sendMessage: async () => sendOperation(device),
    writeToConversation: () => replyOperation(device, { path: 'messages', body: () => ({ text: 'It is.' }) }),
    sendFileToConversation: () => replyOperation(device, { path: 'files', body: drawFile }),
    createNote: () => noteOperation(device),
    createCase: () => botPartOperation(app, 'cases', { messages: [{ role: 'contact', text: 'Hello' }] }),
    createRun: () => botPartOperation(app, 'runs', {}),
  };
}

interface LinkedDevice {
  app: DevicesApp;
  phone: string;
  deviceId: string;
}

async function listIds({ api }: Pick<DevicesApp, 'api'>, path: string): Promise<string[]> {
  const { status, body } = await api('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ id }: { id: string }) => id);
}

/** Returns an operation that creates an object of the list at `list`. */
function createOperation(
  app: DevicesApp,
  { path, body, list }: Pick<Operation, 'path' | 'body'> & { list: string },
  getId: (body: ApiBody) => string = ({ data }) => data.id,
): Operation {
  return {
    path,
    body,
    times: async () => (await listIds(app, list)).length,
    isFirstResult: async (answer) =>
      answer.status === 200 && (await listIds(app, list)).join() === getId(answer.body),
  };
}

function teamOperation(app: DevicesApp): Operation {
  const name = `Harbour ${newId()}`;
  return createOperation(
    app,
    {
      path: '/teams',
      body: () => ({ user: { name: 'Ada', email: 'ada@example.com' }, team: { name } }),
      list: `/teams?name=${encodeURIComponent(name)}`,
    },
    ({ data }) => data.team.id,
  );
}

async function botOperation(app: DevicesApp): Promise<Operation> {
  const { body } = await app.api('POST', '/teams', { body: teamOperation(app).body() });
  const team_id = body.data.team.id;
  return createOperation(app, {
    path: '/bots',
    body: () => ({ team_id, name: 'Desk' }),
    list: `/bots?team_id=${team_id}`,
  });
}

async function botPartOperation(app: DevicesApp, part: string, body: object): Promise<Operation> {
  const { botId } = await addTeamWithBot(app.context.db);
  const path = `/bots/${botId}/${part}`;
  return createOperation(app, { path, body: () => body, list: path });
}

async function deviceOperation(app: DevicesApp): Promise<Operation> {
  const { teamId: team_id, botId: bot_id } = await addTeamWithBot(app.context.db);
  return createOperation(app, {
    path: '/devices',
    body: () => ({ team_id, bot_id, name: 'Desk' }),
    list: `/devices?team_id=${team_id}`,
  });
}

async function documentOperation(app: DevicesApp): Promise<Operation> {
  const { teamId } = await addTeamWithBot(app.context.db);
  return createOperation(app, {
    path: '/documents',
    body() {
      const form = new FormData();
      form.append('team_id', teamId);
      form.append('file', new Blob(['Bicycles at the harbour.']), 'rental.txt');
      return form;
    },
    list: `/documents?team_id=${teamId}`,
  });
}

/** Creates somebody beside others. */
function memberOperation({ api }: DevicesApp, path: string, role: string): Operation {
  const email = `${newId()}@example.com`;
  const memberIds = async (): Promise<string[]> => {
    const { body } = await api('GET', `${path}?limit=100`);
    const members: { id: string; email: string }[] = body.data;
    return members.filter((member) => member.email === email).map(({ id }) => id);
  };
  return {
    path,
    body: () => ({ name: 'Ada', email, role }),
    times: async () => (await memberIds()).length,
    isFirstResult: async ({ status, body }) => status === 200 && (await memberIds()).join() === body.data.id,
  };
}

/** The secret is shown once; a retry returns the key without it. */
function keyOperation({ api }: DevicesApp): Operation {
  const name = `Key ${newId()}`;
  const keyIds = async (): Promise<string[]> => {
    const keys: { key_id: string; name: string }[] = (await api('GET', '/api-keys')).body.data;
    return keys.filter((key) => key.name === name).map((key) => key.key_id);
  };
  return {
    path: '/api-keys',
    body: () => ({ name }),
    times: async () => (await keyIds()).length,
    isFirstResult: async ({ status, body }) =>
      status === 400 &&
      body.details.reason === 'idempotency_secret_shown' &&
      (await keyIds()).join() === body.details.key_id,
  };
}

/** The secret is shown once; a retry returns the id of the webhook without it. */
async function webhookOperation(app: DevicesApp): Promise<Operation> {
  const { teamId: team_id } = await addTeamWithBot(app.context.db);
  const list = `/webhooks?team_id=${team_id}`;
  return {
    path: '/webhooks',
    body: () => ({ team_id, url: 'https://hooks.example.com/parley', events: ['message.sent'] }),
    times: async () => (await listIds(app, list)).length,
    isFirstResult: async ({ status, body }) =>
      status === 400 &&
      body.details.reason === 'idempotency_secret_shown' &&
      (await listIds(app, list)).join() === body.details.webhook_id,
  };
}

function sendOperation({ app, phone, deviceId }: LinkedDevice): Operation {
  const contact = newPhone();
  const messages = `/messages?device_id=${deviceId}&contact_number=${encodeURIComponent(contact)}`;
  return {
    path: '/send',
    body: () => ({ device_id: deviceId, message: 'Your bicycle is ready', destination_number: contact }),
    times: () => countReceived(app, phone, contact),
    isFirstResult: async ({ status, body }) =>
      status === 200 && (await listIds(app, messages)).join() === body.data.messageId,
  };
}

function drawFile(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['Ready on Friday.']), 'ready.txt');
  return form;
}

async function replyOperation(
  { app, phone, deviceId }: LinkedDevice,
  { path, body: draw }: { path: string; body: () => object },
): Promise<Operation> {
  const contact = newPhone();
  await app.network.write({ from: contact, to: phone, text: 'Is my bicycle ready?' });
  const id = await eventually(() => findConversation(app, deviceId, contact));
  const replies = `/messages?direction=out&device_id=${deviceId}&contact_number=${encodeURIComponent(contact)}`;
  return {
    path: `/conversations/${id}/${path}`,
    body: draw,
    times: () => countReceived(app, phone, contact),
    isFirstResult: async ({ status, body }) =>
      status === 200 && (await listIds(app, replies)).join() === body.data.id,
  };
}

async function noteOperation({ app, phone, deviceId }: LinkedDevice): Promise<Operation> {
  const contact = newPhone();
  await app.network.write({ from: contact, to: phone, text: 'Is my bicycle ready?' });
  const id = await eventually(() => findConversation(app, deviceId, contact));
  const path = `/conversations/${id}/notes`;
  return createOperation(app, { path, body: () => ({ text: 'Call her.' }), list: path });
}

async function findConversation({ api }: DevicesApp, deviceId: string, contact: string): Promise<string> {
  const { body } = await api('GET', `/conversations?limit=100&device_id=${deviceId}`);
  const conversations: { id: string; contact_number: string }[] = body.data;
  return (
    conversations.find((found) => found.contact_number === contact)?.id ??
    assert.fail('the conversation does not exist yet')
  );
}

/** Waits for the first copy, then returns the number of copies that the contact's phone received. */
function countReceived({ network }: DevicesApp, phone: string, contact: string): Promise<number> {
  return eventually(async () => {
    const received = await network.received(contact, phone);
    assert.ok(received.length > 0, 'no message has arrived');
    return received.reduce((copies, message) => copies + message.copies, 0);
  });
}
