import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { Actions, type Adapter, Button, Card, CardText, Chat, ConsoleLogger, type Message } from 'chat';
import { getUrl } from '../../src/platform/shared/listening.ts';
import { newPerson, newUser } from '../cloud-numbers.ts';
import { eventually } from '../eventually.ts';
import { startFakeGraph } from './fake-graph.ts';

/** A second library of others, written for ids instead of numbers, reads what the fake pushes and writes what the fake takes. */
const graph = await startFakeGraph();
after(() => graph.stop());
const credentials = await graph.addNumber('15550200000');
const phone = credentials.phone_number_id;
const verifyToken = 'the-verify-token';

const logger = new ConsoleLogger('silent');
const adapter = createWhatsAppAdapter({
  logger,
  accessToken: credentials.access_token,
  appSecret: credentials.app_secret,
  phoneNumberId: phone,
  verifyToken,
  apiUrl: graph.url.replace('/v26.0', ''),
  apiVersion: 'v26.0',
});
const chat = new Chat({
  userName: 'desk',
  // The library is not compiled with `exactOptionalPropertyTypes`.
  adapters: { whatsapp: adapter as Adapter },
  state: createMemoryState(),
  logger,
});
const received: Message[] = [];
const reactions: string[] = [];
const chosen: string[] = [];
chat.onDirectMessage((_thread, message) => void received.push(message));
chat.onReaction(({ rawEmoji, messageId }) => void reactions.push(`${rawEmoji} ${messageId}`));
chat.onAction(({ actionId }) => void chosen.push(actionId));
await chat.initialize();

const receiver = createServer((request, response) => {
  serve(request).then(
    async (answer) => response.writeHead(answer.status).end(await answer.text()),
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1');
after(() => receiver.close());

async function serve(request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = 'GET', url = '/' } = request;
  const headers = { 'x-hub-signature-256': String(request.headers['x-hub-signature-256'] ?? '') };
  const body = method === 'GET' ? null : Buffer.concat(chunks);
  return adapter.handleWebhook(new Request(new URL(url, 'http://receiver'), { method, headers, body }));
}

await new Promise((resolve) => receiver.once('listening', resolve));
const url = getUrl('127.0.0.1', receiver);
assert.equal(await graph.setWebhook(phone, url, 'another'), false);
assert.equal(await graph.setWebhook(phone, url, verifyToken), true);
// Otherwise the network pushes nothing.
const subscribed = await fetch(`${graph.url}/${credentials.waba_id}/subscribed_apps`, {
  method: 'POST',
  headers: { authorization: `Bearer ${credentials.access_token}` },
});
assert.equal(subscribed.status, 200);

const untilReceived = (id: string): Promise<Message> =>
  eventually(() => {
    const found = received.find((message) => message.id === id);
    assert.ok(found);
    return Promise.resolve(found);
  });

const lastSent = async () => (await graph.sent(phone)).at(-1)?.body;

test('the library reads texts, places, descriptions of files, reactions and choices', async () => {
  const ann = newPerson('Änn');
  const text = await untilReceived(await graph.write(phone, ann, 'Größe? 你好 👍'));
  assert.deepEqual(
    [text.text, text.author.fullName, text.author.userId],
    ['Größe? 你好 👍', 'Änn', ann.wa_id],
  );
  const place = { type: 'location', location: { latitude: 1, longitude: 2, name: 'Dock' } };
  assert.equal((await untilReceived(await graph.write(phone, ann, place))).text, '[Location: Dock]');
  const id = await graph.addMedium(phone, 'application/pdf', Buffer.from('%PDF-1.7'));
  const document = { id, mime_type: 'application/pdf', filename: 'bill.pdf', caption: 'The bill' };
  const file = await untilReceived(await graph.write(phone, ann, { type: 'document', document }));
  assert.deepEqual([file.text, file.attachments[0]?.name], ['The bill', 'bill.pdf']);
  await graph.write(phone, ann, { type: 'reaction', reaction: { message_id: text.id, emoji: '👍' } });
  const button = { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } };
  await graph.write(phone, ann, { type: 'interactive', interactive: button });
  await eventually(async () => assert.deepEqual([reactions, chosen], [[`👍 ${text.id}`], ['yes']]));
  assert.deepEqual(await graph.refused(), []);
});

test('the library answers a contact without a number', async () => {
  const hidden = newUser('Cleo');
  const { threadId } = await untilReceived(await graph.write(phone, hidden, 'I have a user name'));
  await adapter.postMessage(threadId, 'Hello Cleo');
  assert.deepEqual(
    [(await lastSent())?.['recipient'], (await lastSent())?.['to']],
    [hidden.user_id, undefined],
  );
});

test('the fake takes the files, buttons and templates that the library writes', async () => {
  const ann = newPerson();
  const { threadId } = await untilReceived(await graph.write(phone, ann, 'Hello'));
  await adapter.postMessage(threadId, {
    markdown: 'The **bill**',
    files: [{ data: Buffer.from('%PDF-1.7'), filename: 'bill.pdf', mimeType: 'application/pdf' }],
  });
  const { document } = (await lastSent()) as { document: { id: string; caption: string } };
  assert.equal(document.caption, 'The *bill*');
  assert.equal(String((await graph.readMedium(document.id)).bytes), '%PDF-1.7');
  const buttons = Actions([Button({ id: 'yes', label: 'Yes' }), Button({ id: 'no', label: 'No' })]);
  await adapter.postMessage(threadId, Card({ children: [CardText('Shall we?'), buttons] }));
  assert.equal((await lastSent())?.['type'], 'interactive');
  await assert.rejects(adapter.sendTemplate(threadId, { name: 'unknown', language: 'en' }), /132001/);
});
