import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Journal } from '../../../../simulator/src/journal.ts';
import { ProviderError } from '../../../src/adapters/assistant-provider/assistant-provider.ts';
import { getUrl } from '../../../src/shared/listening.ts';
import { type CallName, type Calls, callNames, type OrderedFault } from './calls.ts';
import { createFakeProvider } from './fake-provider.ts';
import { ProviderFaultList } from './provider-faults.ts';
import { type ProviderFact, ProviderState } from './provider-state.ts';

/** An AI provider as a process: `provider-process.ts <folder of its log> <port>`. Says where it listens when it is ready. */
const [folder = '.', port = '0'] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const state = new ProviderState();
const journal = await Journal.open<ProviderFact, void>(join(folder, 'provider.jsonl'), (fact) =>
  state.apply(fact),
);
const provider = createFakeProvider(state, (fact) => journal.append(fact));
const mischief = new ProviderFaultList();

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    process.stderr.write(`${error}\n`);
    request.socket.destroy();
  });
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
  const [, first = '', name = ''] = (request.url ?? '').split('/');
  if (first === 'mischief') {
    // The rig that started this process speaks here, and nobody else.
    if (request.method === 'DELETE') mischief.clear();
    else mischief.order(body as OrderedFault);
    return answer(response, 200, {});
  }
  const call = callNames.find((known) => known === name);
  if (first !== 'calls' || call === undefined) return answer(response, 404, { message: 'no such call' });
  await serveCall(call, body, response);
}

async function serveCall(call: CallName, body: unknown, response: ServerResponse): Promise<void> {
  const wrong = mischief.take(call);
  if (wrong?.mischief === 'rate_limited') return answer(response, 429, { message: 'slow down' });
  if (wrong?.mischief === 'fails') return answer(response, 500, { message: 'out of order' });
  if (wrong !== null && wrong.ms > 0) await delay(wrong.ms);
  if (wrong?.mischief === 'hangs') return void response.destroy();
  try {
    const given = await perform(call, body);
    if (wrong?.mischief === 'loses_reply') return void response.destroy();
    return answer(response, 200, given);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return answer(response, 404, { message: error.message });
  }
}

/** The adapter of the same rig wrote the body, by the shapes of `Calls`. */
function perform<Name extends CallName>(call: Name, body: unknown): Promise<Calls[Name]['gives']> {
  return provider[call](body as Calls[Name]['takes']);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ msg: 'ready', provider: getUrl('127.0.0.1', server) })}\n`);
});
