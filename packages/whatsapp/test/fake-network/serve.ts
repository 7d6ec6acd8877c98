import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Phone } from './accounts.ts';
import { type FakeFault, FakeNetwork } from './fake-network.ts';

/**
 * The fake network as a program. Prints its port once it listens; devices connect to `/ws/chat`, tests send requests:
 *
 *     POST /scan      {qr, phone}          → true when the device accepted the link
 *     POST /write     {from, to, text}     → the message's id
 *     POST /order     {device, order}
 *     POST /received  {contact, device}    → the messages that the contact received
 *     POST /journal   {}                   → all journal entries
 */
const network = new FakeNetwork();

// Keeps the encryption library from printing sessions to the test output.
console.info = () => undefined;
console.warn = () => undefined;

function phone(number: string | undefined): Phone {
  const found = network.accounts.phone(number ?? '');
  if (found === null) throw new Error(`${number} has no account`);
  return found;
}

async function handleRequest(path: string, order: Record<string, string>): Promise<unknown> {
  switch (path) {
    case '/scan':
      return network.pairing.scan(order['qr'] ?? '', phone(order['phone']));
    case '/write':
      return network.messages.write(phone(order['from']), phone(order['to']), order['text'] ?? '');
    case '/order':
      // Only the tests send faults.
      network.injectFault(order['device'] ?? '', order['order'] as FakeFault);
      return null;
    case '/received':
      return network.journal.chat(order['contact'] ?? '', order['device'] ?? '');
    case '/journal':
      return network.journal.entries;
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
