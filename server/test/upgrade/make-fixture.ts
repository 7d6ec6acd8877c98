/**
 * Writes an upgrade fixture: the data of a service that ran the version in `--checkout`.
 *
 *     node server/test/upgrade/make-fixture.ts [--checkout DIR] [--out DIR]
 *
 * The checkout needs its node_modules. The script uses only the start command and public HTTP of that version.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOptions } from '../../../scripts/command-line.ts';
import { readQrCode } from '../../../scripts/demo/qr-code.ts';
import { startService } from '../../../scripts/demo/service-process.ts';
import { startEmbeddedServer } from '../../src/platform/database/embedded/embedded-server.ts';
import { createEncryption } from '../../src/platform/shared/encryption.ts';
import { openEncryptionKeys } from '../../src/process/encryption-keys.ts';
import { dumpDatabase } from './dump.ts';
import { actionHost, type Fixture, readFixtureChat, secretHeader, startActionService } from './fixture.ts';

const usage = 'node server/test/upgrade/make-fixture.ts [--checkout DIR] [--out DIR]';
const key = { key_id: 'pk_upgrade_fixture', key_secret: 'sk_upgrade_fixture' };
const phone = '+15550100';
const contact = '+15550199';
const otherContact = '+15550198';

interface Result {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the responses of another version have no types here
  body: { data: any };
  bytes: Buffer;
}

/** Calls the service at `url` and throws unless it returns 200. */
function createClient(url: string) {
  let token = '';
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Result> => {
    const target = /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`;
    const form = body instanceof FormData;
    const response = await fetch(url + target, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const json = response.headers.get('content-type')?.includes('json') === true;
    if (response.status !== 200) throw new Error(`${method} ${target}: ${response.status} ${bytes}`);
    return { status: response.status, bytes, body: json ? JSON.parse(bytes.toString()) : { data: null } };
  };
  return {
    call,
    async signIn() {
      const { body } = await call('POST', '/api/openapi/auth/token', key);
      token = body.data.access_token;
      return token;
    },
  };
}

type Client = ReturnType<typeof createClient>;

async function waitUntil<Value>(what: string, read: () => Promise<Value | false>): Promise<Value> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const value = await read();
    if (value !== false) return value;
    await delay(200);
  }
  throw new Error(`timed out; expected that ${what}`);
}

async function createTeam({ call }: Client, name: string): Promise<string> {
  const { body } = await call('POST', '/teams', {
    user: { name: 'Front office', email: 'office@lumen-bikes.example' },
    team: { name, plan_name: 'pro' },
  });
  await call('PATCH', `/teams/${body.data.team.id}`, { settings: { reply_delay_seconds: 0 } });
  return body.data.team.id;
}

async function upload({ call }: Client, teamId: string, name: string, bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set('team_id', teamId);
  form.set('file', new File([Buffer.from(bytes)], name));
  const { body } = await call('POST', '/documents', form);
  return body.data.id;
}

async function linkDevice({ call }: Client, teamId: string, botId: string): Promise<string> {
  const { body } = await call('POST', '/devices', { team_id: teamId, bot_id: botId, name: 'Front desk' });
  const { id } = body.data;
  await call('POST', `/devices/${id}/connect`);
  const status = await call('GET', `/devices/${id}/status`);
  await call('POST', '/simulator/scan', { qr: readQrCode(status.body.data.qr_code), phone_number: phone });
  await waitUntil('the device is connected', async () => {
    const { body: read } = await call('GET', `/devices/${id}/status`);
    return read.data.connected === true;
  });
  return id;
}

/** Writes to the device from a contact's phone and returns the texts of the reply. */
async function ask({ call }: Client, from: string, text: string): Promise<string[]> {
  const before = (await readFixtureChat(call, phone, from)).length;
  await call('POST', '/simulator/messages', { from, to: phone, text });
  return waitUntil(`“${text}” is answered`, async () => {
    const chat = await readFixtureChat(call, phone, from);
    return chat.length > before && chat.slice(before);
  });
}

async function createContent(
  client: Client,
): Promise<Omit<Fixture, 'version' | 'schema' | 'madeAt' | 'accessToken' | 'key'>> {
  const { call } = client;
  const [teamId, otherTeamId] = [
    await createTeam(client, 'Lumen Bikes'),
    await createTeam(client, 'Free Library'),
  ];
  const handbook = await readFile(new URL('../../../scripts/demo/documents/handbook.pdf', import.meta.url));
  const documentId = await upload(client, teamId, 'handbook.pdf', handbook);
  await upload(client, otherTeamId, 'opening-hours.txt', Buffer.from('The library opens at nine.'));
  const bot = {
    team_id: teamId,
    name: 'Lumen',
    role: 'assistant',
    identification_name: 'Lumen',
    instructions: 'You answer customers of a bike rental, briefly and kindly.',
    questions: [{ question: 'Do you lend helmets?', answer: 'Yes, a helmet is included with every bike.' }],
    actions: [
      {
        name: 'Rental status',
        description: 'Looks up the status of a rental by its number',
        endpoint: `http://${actionHost}/rentals/{{rental_number}}`,
        headers: secretHeader,
        body: [],
      },
    ],
    document_ids: [documentId],
  };
  const botId = (await call('POST', '/bots', bot)).body.data.id;
  await call('POST', `/bots/${botId}/publish`);
  const draft = { ...bot, name: 'Draft', document_ids: [] };
  const draftBotId = (await call('POST', '/bots', draft)).body.data.id;
  const deviceId = await linkDevice(client, teamId, botId);
  const questions = {
    pair: 'Do you lend helmets?',
    document: 'How much is the deposit for an electric bike?',
    action: 'What is the status of rental R-4711?',
  };
  const answers = {
    pair: await ask(client, contact, questions.pair),
    document: await ask(client, contact, questions.document),
    action: await ask(client, contact, questions.action),
  };
  await ask(client, otherContact, questions.pair);
  const send = { device_id: deviceId, message: 'Your bike is ready.', destination_number: contact };
  await call('POST', '/send', send);
  const repeatedSend = { ...send, message: 'Your deposit is on its way.' };
  const idempotencyKey = 'order 17';
  const replay = {
    path: '/send',
    key: idempotencyKey,
    body: repeatedSend,
    result: (await call('POST', '/send', repeatedSend, { 'idempotency-key': idempotencyKey })).body,
  };
  const conversations = (await call('GET', `/conversations?team_id=${teamId}`)).body.data;
  const paused = conversations.find((one: { contact_number: string }) => one.contact_number === otherContact);
  await call('POST', `/conversations/${paused.id}/messages`, { text: 'A person writes now.' });
  await call('POST', `/conversations/${paused.id}/pause`, {});
  const created = { name: 'Library', scope: 'team', team_id: otherTeamId };
  const { key_id, key_secret } = (await call('POST', '/api-keys', created)).body.data;
  await waitUntil('every message is read', async () => {
    const { body } = await call('GET', '/messages?limit=100');
    return body.data.every(({ status }: { status: string }) => !/accepted|received|sent/.test(status));
  }).catch(() => undefined);
  return {
    teamKey: { key_id, key_secret, team_id: otherTeamId },
    teamId,
    botId,
    draftBotId,
    deviceId,
    phone,
    contact,
    questions,
    answers,
    replay,
    document: { id: documentId, sha256: createHash('sha256').update(handbook).digest('hex') },
    usage: (await call('GET', `/teams/${teamId}/usage`)).body.data,
    reads: await readLists(client, botId),
  };
}

async function readLists({ call }: Client, botId: string): Promise<Fixture['reads']> {
  const paths = ['teams', 'bots', 'documents', 'messages', 'conversations', 'plans'].map(
    (name) => `/${name}`,
  );
  const reads: Fixture['reads'] = {};
  for (const path of [...paths, `/bots/${botId}`, `/bots/${botId}/versions`])
    reads[path] = (await call('GET', path)).body.data;
  return reads;
}

async function makeFixture(checkout: string, out: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-fixture-'));
  const dataDir = join(folder, 'data');
  const action = await startActionService();
  const service = await startService(
    {
      PORT: '0',
      DATA_DIR: dataDir,
      BOOTSTRAP_KEY_ID: key.key_id,
      BOOTSTRAP_KEY_SECRET: key.key_secret,
      ACTION_ALLOWED_HOSTS: actionHost,
    },
    join(folder, 'service.log'),
    { command: [process.execPath, 'server/src/main.ts'], cwd: checkout },
  );
  try {
    const client = createClient(service.addresses.api ?? '');
    const accessToken = await client.signIn();
    const content = await createContent(client);
    service.child.kill('SIGTERM');
    if ((await service.ended) !== 0) throw new Error(`the service failed, see ${folder}/service.log`);
    const migrations = await readdir(join(checkout, 'server/migrations'));
    const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
    const fixture: Fixture = {
      version: manifest.version,
      schema: migrations.filter((name) => name.endsWith('.sql')).length,
      madeAt: new Date().toISOString(),
      key,
      accessToken,
      ...content,
    };
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    await writeFile(join(out, 'fixture.json'), `${JSON.stringify(fixture, null, 2)}\n`);
    await dumpStopped(dataDir, join(out, 'database.sql.gz'));
    await cp(dataDir, join(out, 'data-dir'), {
      recursive: true,
      filter: (path) => !/\/(postgres[^/]*|database-password)$/.test(path),
    });
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
    await action.close();
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${out}: ${(await readdir(out)).join(', ')}\n`);
}

async function dumpStopped(dataDir: string, path: string): Promise<void> {
  const { encryptionKeys } = await openEncryptionKeys({ ENCRYPTION_KEY: null, DATA_DIR: dataDir });
  const encryption = createEncryption(...encryptionKeys);
  const server = await startEmbeddedServer({
    dataDir,
    encryption,
    logger: { info() {}, warn() {}, error() {} },
  });
  try {
    await writeFile(path, await dumpDatabase(server.url));
  } finally {
    await server.release();
  }
}

const { checkout, out } = readOptions(usage, {
  checkout: { type: 'string', default: join(import.meta.dirname, '../../..') },
  out: { type: 'string' },
});
const version = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')).version;
await makeFixture(resolve(checkout), resolve(out ?? join(import.meta.dirname, 'fixtures', version)));
