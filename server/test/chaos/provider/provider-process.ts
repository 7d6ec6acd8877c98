import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Journal } from '../../../../simulator/src/journal.ts';
import { getUrl } from '../../../src/platform/shared/listening.ts';
import { ProviderError } from '../../../src/ports/provider-error.ts';
import { chatCompletions } from '../../fake-models/chat-completions.ts';
import type { Json } from '../../fake-models/protocol.ts';
import { type CallName, type Calls, callNames, type ProviderFault } from './calls.ts';
import { createFakeProvider } from './fake-provider.ts';
import { createModelReply } from './model-replies.ts';
import { ProviderFaultList } from './provider-faults.ts';
import { type ProviderFact, ProviderState } from './provider-state.ts';

/**
 * A fake AI provider: `provider-process.ts <log folder> <port>`. Prints its address when it is ready. It is also a language
 * model, which speaks OpenAI's Chat Completions. Faults of the call `step` apply to both.
 */
const [folder = '.', port = '0'] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const state = new ProviderState();
const journal = await Journal.open<ProviderFact, void>(join(folder, 'provider.jsonl'), (fact) =>
  state.apply(fact),
);
const provider = createFakeProvider(state, (fact) => journal.append(fact));
const faults = new ProviderFaultList();

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
  if (first === 'faults') {
    if (request.method === 'DELETE') faults.clear();
    else faults.order(body as ProviderFault);
    return answer(response, 200, {});
  }
  if (first === 'v1') return respond('step', response, async () => completeChat(request, body));
  const call = callNames.find((known) => known === name);
  if (first !== 'calls' || call === undefined) return answer(response, 404, { message: 'no such call' });
  await respond(call, response, () => perform(call, body));
}

async function respond(
  call: CallName,
  response: ServerResponse,
  create: () => Promise<object>,
): Promise<void> {
  const fault = faults.take(call);
  if (fault?.effect === 'rate_limited') return answer(response, 429, { message: 'slow down' });
  if (fault?.effect === 'fails') return answer(response, 500, { message: 'failure' });
  if (fault !== null && fault.ms > 0) await delay(fault.ms);
  if (fault?.effect === 'hangs') return void response.destroy();
  try {
    const given = await create();
    if (fault?.effect === 'loses_reply') return void response.destroy();
    return answer(response, 200, given);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return answer(response, 404, { message: error.message });
  }
}

function completeChat({ headers }: IncomingMessage, body: Json): object {
  const refusal = chatCompletions.refuse(headers, body);
  // The process prints the reason and closes the connection.
  if (refusal !== null) throw new Error(refusal);
  return chatCompletions.writeReply(createModelReply(body), body.model, body);
}

/** remote-provider.ts writes bodies of these shapes. */
function perform<Name extends CallName>(call: Name, body: unknown): Promise<Calls[Name]['response']> {
  return provider[call](body as Calls[Name]['request']);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ msg: 'ready', provider: getUrl('127.0.0.1', server) })}\n`);
});
