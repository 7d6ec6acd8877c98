import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Phone } from './accounts.ts';
import { type FakeFault, FakeNetwork } from './fake-network.ts';

/**
 * Runs the fake network. Prints its port when it listens. Devices connect to `/ws/chat`, and tests send requests:
 *
 *     POST /scan      {qr, phone}          → true when the device accepted the link
 *     POST /write     {from, to, text}     → the message's id
 *     POST /fault     {device, fault}
 *     POST /received  {contact, device}    → the messages that the contact received
 *     POST /journal   {}                   → all journal entries
 */
const network = new FakeNetwork();

// The encryption library would print sessions to the test output.
console.info = () => undefined;
console.warn = () => undefined;

function getPhone(number: string | undefined): Phone {
  const found = network.accounts.getPhone(number ?? '');
  if (found === null) throw new Error(`${number} has no account`);
  return found;
}

async function handleRequest(path: string, body: Record<string, string>): Promise<unknown> {
  switch (path) {
    case '/scan':
      return network.pairing.scan(body['qr'] ?? '', getPhone(body['phone']));
    case '/write':
      return network.messages.write(getPhone(body['from']), getPhone(body['to']), body['text'] ?? '');
    case '/fault':
      // Only the tests send faults.
      network.injectFault(body['device'] ?? '', body['fault'] as FakeFault);
      return null;
    case '/received':
      return network.journal.chat(body['contact'] ?? '', body['device'] ?? '');
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
