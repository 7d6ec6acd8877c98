import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { ActionButtons, Body, Button, Interactive, Template, Text } from 'whatsapp-api-js/messages';
import { getUrl } from '../../src/platform/shared/listening.ts';
import { credentialsEntry } from '../../src/ports/messaging-network/credentials.ts';
import { DeviceUnderTest } from '../../src/ports/messaging-network/device-under-test.ts';
import type { OutboundMessage } from '../../src/ports/messaging-network/messaging-network.ts';
import { WhatsappCloudNetwork } from '../../src/ports/messaging-network/whatsapp-cloud/whatsapp-cloud.ts';
import { newPerson, newUser } from '../cloud-numbers.ts';
import { eventually } from '../eventually.ts';
import { startFakeGraph } from './fake-graph.ts';

/** A library of others reads what the fake pushes, and writes what the fake takes. Both must agree with the adapter. */
const graph = await startFakeGraph();
after(() => graph.stop());
const credentials = await graph.addNumber('15550200000');
const phone = credentials.phone_number_id;
const verifyToken = 'the-verify-token';

const library = new WhatsAppAPI({
  token: credentials.access_token,
  appSecret: credentials.app_secret,
  webhookVerifyToken: verifyToken,
  v: 'v26.0',
  ponyfill: {
    fetch: (url, options) =>
      fetch(String(url).replace('https://graph.facebook.com/v26.0', graph.url), options),
  },
});
const received: {
  from: string | undefined;
  name: string | undefined;
  type: string;
  text: string | undefined;
}[] = [];
const statuses: string[] = [];
library.on.message = ({ from, name, message }) => {
  const text = message.type === 'text' ? message.text.body : undefined;
  received.push({ from, name, type: message.type, text });
};
library.on.status = ({ status, id }) => void statuses.push(`${id} ${status}`);
const refused: unknown[] = [];

const receiver = createServer((request, response) => {
  serve(request).then(
    (text) => response.writeHead(200).end(text),
    (error: unknown) => {
      refused.push(error);
      response.writeHead(typeof error === 'number' ? error : 401).end();
    },
  );
}).listen(0, '127.0.0.1');
after(() => receiver.close());

async function serve(request: IncomingMessage): Promise<string> {
  const url = new URL(request.url ?? '/', 'http://receiver');
  // The library reads the names of the network.
  if (request.method === 'GET') return library.get(Object.fromEntries(url.searchParams) as never);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = String(Buffer.concat(chunks));
  await library.post(JSON.parse(raw), raw, String(request.headers['x-hub-signature-256']));
  return '';
}

await new Promise((resolve) => receiver.once('listening', resolve));
assert.equal(await graph.setWebhook(phone, getUrl('127.0.0.1', receiver), verifyToken), true);

const device = new DeviceUnderTest();
const stored = { fields: credentials, accountKey: 'key', verifyToken };
await device.store.write([
  { kind: 'whatsapp_cloud', id: credentialsEntry, value: Buffer.from(JSON.stringify(stored)) },
]);
const silent = { error: () => undefined, warn: () => undefined };
const network = new WhatsappCloudNetwork({ baseUrl: graph.url, maxMediaBytes: 1_000_000, logger: silent });
after(() => network.close());
const session = device.open(network);
await device.waitFor('up');

test('the library accepts the signature of the fake, also of words in other scripts, and reads the sender', async () => {
  const ann = newPerson('Änn');
  await graph.write(phone, ann, 'Größe? 你好 👍');
  await eventually(async () =>
    assert.deepEqual(received.at(-1), { from: ann.wa_id, name: 'Änn', type: 'text', text: 'Größe? 你好 👍' }),
  );
  const hidden = newUser('Cleo');
  await graph.write(phone, hidden, { type: 'location', location: { latitude: 1, longitude: 2 } });
  await eventually(async () =>
    assert.deepEqual([received.at(-1)?.type, received.at(-1)?.name], ['location', 'Cleo']),
  );
  assert.deepEqual(refused, []);
});

test('the library refuses a challenge with another verify token', async () => {
  assert.equal(await graph.setWebhook(phone, getUrl('127.0.0.1', receiver), 'another'), false);
  assert.equal(await graph.setWebhook(phone, getUrl('127.0.0.1', receiver), verifyToken), true);
  refused.length = 0;
});

test('the library reads a file where the fake says that it is', async () => {
  const bytes = Buffer.from('%PDF-1.7');
  const medium = await library.retrieveMedia(await graph.addMedium(phone, 'application/pdf', bytes));
  assert.ok('url' in medium, JSON.stringify(medium));
  const response = await library.fetchMedia(medium.url);
  assert.deepEqual([medium.mime_type, Buffer.from(await response.arrayBuffer())], ['application/pdf', bytes]);
});

test('the library and the adapter write the same bodies, and the fake takes both', async () => {
  const ann = newPerson();
  await graph.write(phone, ann, 'Hello');
  const text = { kind: 'text', text: 'Hello, Ann' } as const;
  const pairs: [Parameters<typeof library.sendMessage>[2], Omit<OutboundMessage, 'networkId' | 'to'>][] = [
    [new Text('Hello, Ann', false), { content: text }],
    [
      new Interactive(
        new ActionButtons(new Button('yes', 'Yes'), new Button('no', 'No')),
        new Body('Hello, Ann'),
      ),
      {
        content: text,
        choices: {
          options: [
            { id: 'yes', title: 'Yes' },
            { id: 'no', title: 'No' },
          ],
        },
      },
    ],
  ];
  for (const [index, [message, content]] of pairs.entries()) {
    const id = `ID-${index}`;
    const response = await library.sendMessage(phone, ann.wa_id, message, undefined, id);
    assert.ok('messages' in response, JSON.stringify(response));
    await session.send({ networkId: id, to: `+${ann.wa_id}`, ...content }, new AbortController().signal);
    const [theirs, ours] = (await graph.sent(phone)).slice(-2).map(({ body }) => normalize(body));
    assert.deepEqual(ours, theirs);
    await eventually(async () => assert.ok(statuses.includes(`${response.messages[0].id} delivered`)));
  }
  const refusedByFake = await library.sendMessage(phone, ann.wa_id, new Template('unknown', 'en'));
  assert.ok('error' in refusedByFake && refusedByFake.error.code === 132001);
});

/** The library writes some contents as JSON in text, and members that have their default. */
const normalize = ({ recipient_type: _, ...body }: Record<string, unknown>): object => {
  const parse = (value: unknown) =>
    typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
  const parsed = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, parse(value)]));
  const { text } = parsed as { text?: { preview_url?: boolean } };
  if (text !== undefined && text.preview_url === undefined) text.preview_url = false;
  return parsed;
};
