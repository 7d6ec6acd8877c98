import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type AnyMessageContent, generateWAMessageContent, proto } from 'baileys';
import type { Addressing, Phone } from './accounts.ts';
import { type FakeFault, FakeNetwork } from './fake-network.ts';
import { startMediaServer } from './media-server.ts';
import type { Writing } from './messages.ts';
import type { SecretRequest } from './pairing.ts';

/**
 * Runs the fake network. Prints its port when it listens. Devices connect to `/ws/chat`, and tests send requests:
 *
 *     POST /scan      {qr, phone}          → true when the device accepted the link
 *     POST /request_secret {qr, request}   → true when the device that shows the code acknowledged the request for a new secret
 *     POST /enter_code {code, phone}       → true when the device accepted the link
 *     POST /write     {from, to, text}     → the message's id; `message` (a protobuf object) replaces `text`
 *     POST /placeholder {from, to, text, type?} → the id of a message that only the phone can read
 *     POST /redirected {}                  → how many downloads followed a redirect
 *     POST /group     {from, to}           → the id of a message in a group
 *     POST /address   {phone, addressing}
 *     POST /edit      {from, to, id, text}    → the id of an encrypted edit
 *     POST /vote      {from, to, id, options} → the id of a vote; `options` is JSON
 *     POST /call      {from, to, accepted?, video?} → the id of a call
 *     POST /need_token {device, contact}     → from now on, the network refuses messages to the contact without its token
 *     POST /exhaust   {phone}                → from now on, the network gives no pairing codes for the phone
 *     POST /ping      {device}               → pings the device
 *     POST /describe  {phone, name?, greeting?}  → how the phone calls itself, and the greeting of its Business app
 *     POST /receipt   {device, contact, id, type}
 *     POST /fault     {device, fault}
 *     POST /received  {contact, device}    → the messages that the contact received
 *     POST /journal   {}                   → all journal entries
 *     POST /count     {type}               → the number of journal entries of this type
 */
const network = new FakeNetwork(await startMediaServer());

// The encryption library would print sessions to the test output.
console.info = () => undefined;
console.warn = () => undefined;

function getPhone(number: string | undefined): Phone {
  const found = network.accounts.getPhone(number ?? '');
  if (found === null) throw new Error(`${number} has no account`);
  return found;
}

async function readWriting(body: RequestBody): Promise<Writing> {
  return {
    from: getPhone(body['from']),
    to: getPhone(body['to']),
    message: await readMessage(body),
  };
}

async function readMessage({ text = '', message, media, base64 = '' }: RequestBody): Promise<proto.IMessage> {
  if (message !== undefined) return proto.Message.fromObject(JSON.parse(message));
  if (media === undefined) return { conversation: text };
  const { kind, ...options } = JSON.parse(media) as { kind: string };
  // The tests send valid content of the library.
  const content = {
    [kind]: Buffer.from(base64, 'base64'),
    jpegThumbnail: '',
    ...options,
  } as AnyMessageContent;
  return generateWAMessageContent(content, { upload: network.media.upload });
}

type RequestBody = Readonly<Record<string, string>>;

async function handleRequest(path: string, body: RequestBody): Promise<unknown> {
  switch (path) {
    case '/scan':
      return network.pairing.scan(body['qr'] ?? '', getPhone(body['phone']));
    case '/request_secret':
      // Only the tests send requests.
      return network.pairing.requestSecret(body['qr'] ?? '', body['request'] as SecretRequest);
    case '/enter_code':
      return network.pairing.enterCode(body['code'] ?? '', getPhone(body['phone']));
    case '/write':
      return network.messages.write(await readWriting(body));
    case '/edit':
      return network.messages.edit(await readWriting(body), body['id'] ?? '', body['text'] ?? '');
    case '/vote':
      return network.messages.vote(
        await readWriting(body),
        body['id'] ?? '',
        JSON.parse(body['options'] ?? '[]'),
      );
    case '/call':
      return network.messages.call(await readWriting(body), {
        accepted: body['accepted'] !== undefined,
        video: body['video'] !== undefined,
      });
    case '/placeholder':
      return network.messages.placeholder(await readWriting(body), body['type']);
    case '/certificate':
      return network.media.certificate;
    case '/redirected':
      return network.media.redirected;
    case '/group':
      return network.messages.writeToGroup(getPhone(body['from']), getPhone(body['to']));
    case '/address':
      // Only the tests choose an addressing.
      getPhone(body['phone']).addressing = body['addressing'] as Addressing;
      return null;
    case '/need_token':
      getPhone(body['device']).tokens.set(getPhone(body['contact']).number, randomBytes(16));
      return null;
    case '/exhaust':
      network.pairing.exhausted.add(getPhone(body['phone']).jid);
      return null;
    case '/ping':
      await network.ping(body['device'] ?? '');
      return null;
    case '/describe': {
      const phone = getPhone(body['phone']);
      phone.name = body['name'] ?? phone.name;
      phone.greeting = body['greeting'] ?? phone.greeting;
      return null;
    }
    case '/receipt': {
      const device = network.accounts.getLinkedDevice(body['device'] ?? '');
      if (body['type'] === 'retry') {
        network.messages.requestAgain(device, getPhone(body['contact']), body['id'] ?? '');
        return null;
      }
      network.messages.receipt(device, getPhone(body['contact']), [body['id'] ?? ''], body['type'] ?? '');
      return null;
    }
    case '/fault':
      // Only the tests send faults.
      network.injectFault(body['device'] ?? '', body['fault'] as FakeFault);
      return null;
    case '/received':
      return network.journal.chat(getPhone(body['contact']).number, body['device'] ?? '');
    case '/journal':
      return network.journal.entries;
    case '/count':
      return network.journal.entries.filter(({ type }) => type === body['type']).length;
    default:
      throw new Error(`unknown path ${path}`);
  }
}

const read = async (request: IncomingMessage) => (await json(request)) as Record<string, string>;

const server = createServer(async (request, response) => {
  try {
    const result = await handleRequest(request.url ?? '', await read(request));
    response.end(JSON.stringify(result));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
network.serve(server);
server.listen(0, '127.0.0.1', () => {
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
// Ends with the test process that started it.
process.stdin.resume().once('close', () => process.exit(0));
