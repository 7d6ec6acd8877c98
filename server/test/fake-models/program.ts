import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getUrl } from '../../src/platform/shared/listening.ts';
import { chatCompletions } from './chat-completions.ts';
import { embeddings } from './embeddings.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { serveFiles } from './openai-files.ts';
import type { FakeReply, FileFault, Json, Protocol } from './protocol.ts';
import { responses } from './responses.ts';
import { speech } from './speech.ts';
import { type FakeRefusal, findRefusal } from './strict-servers.ts';

/**
 * Fake services of language models: `program.ts <port>`. Prints its address when it is ready. `POST /script` gives a model its
 * next replies; `GET /requests` returns what it received.
 */
const protocols: readonly Protocol[] = [
  chatCompletions,
  responses,
  messages,
  generateContent,
  speech,
  embeddings,
];
const scripts = new Map<string, FakeReply[]>();
/** The faults of the next calls of a route like `POST /v1/files`. */
const faults = new Map<string, FileFault[]>();
const received: { model: string; path: string; headers: object; body: Json }[] = [];

/** By model. */
const refusals = new Map<string, readonly FakeRefusal[]>();

/** The replies of models without a script. `quoting` replies with what it finds in its files. */
const usualReplies = new Map<string, FakeReply>([['quoting', { quotes: true }]]);

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    request.socket.destroy();
  });
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://fake');
  const { pathname, searchParams } = url;
  const body = await readJson(request);
  if (pathname === '/script') {
    const { model, replies = [], usual, refused } = body;
    if (refused !== undefined) refusals.set(model, refused);
    scripts.set(model, [...(scripts.get(model) ?? []), ...replies]);
    if (usual !== undefined) usualReplies.set(model, usual);
    return send(response, 200, {});
  }
  if (pathname === '/requests') {
    return send(
      response,
      200,
      received.filter(({ model }) => model === searchParams.get('model')),
    );
  }
  if (pathname === '/faults') {
    const { route, ...fault } = body;
    faults.set(route, [...(faults.get(route) ?? []), fault]);
    return send(response, 200, {});
  }
  if (await replyAsFiles({ request, url, body }, response)) return;
  for (const protocol of protocols) {
    const named = protocol.readModel(pathname, body);
    if (named === null) continue;
    const model = asksWhetherAnswered(body) ? `${named}/answered` : named;
    received.push({ model, path: pathname, headers: request.headers, body });
    return reply(protocol, model, { request, body }, response);
  }
  return send(response, 404, { error: { message: `no such path ${pathname}` } });
}

async function reply(
  protocol: Protocol,
  model: string,
  { request, body }: { request: IncomingMessage; body: Json },
  response: ServerResponse,
): Promise<void> {
  const strict = findRefusal(refusals.get(model) ?? [], body);
  if (strict !== null) return send(response, strict.status, protocol.writeError(strict));
  const refusal = protocol.refuse(request.headers, body);
  const scripted: FakeReply =
    refusal === null
      ? (scripts.get(model)?.shift() ?? usualReplies.get(model) ?? replyUsually(body))
      : { error: { status: 400, code: 'invalid_request_error', message: refusal } };
  if (scripted.delayMs !== undefined) await delay(scripted.delayMs);
  if (scripted.fault === 'hang') return;
  const { error } = scripted;
  if (error !== undefined) {
    if (error.retryAfter !== undefined) response.setHeader('retry-after', error.retryAfter);
    return send(response, error.status, protocol.writeError(error));
  }
  const written = protocol.writeReply(scripted, model, body);
  if (Buffer.isBuffer(written))
    return void response.writeHead(200, { 'content-type': 'audio/ogg' }).end(written);
  const text = JSON.stringify(written);
  if (scripted.fault === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    return void response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** Parley asks so about a reply that is only text. Such requests count as those of another model, `<model>/answered`. */
const asksWhetherAnswered = (body: Json): boolean => JSON.stringify(body).includes('only the word ANSWERED');

const replyUsually = (body: Json): FakeReply => ({ text: asksWhetherAnswered(body) ? 'ANSWERED' : 'Fine.' });

/** Returns whether the request was for files or vector stores. */
async function replyAsFiles(
  { request, url, body }: { request: IncomingMessage; url: URL; body: Json },
  response: ServerResponse,
): Promise<boolean> {
  const route = `${request.method} ${url.pathname.replace(/(?<=\/)(?:file-|vs_)\w+/g, '*')}`;
  if (/^\S+ \/v1\/(?:files|vector_stores)/.test(route))
    received.push({ model: route, path: url.pathname, headers: {}, body: {} });
  const fault = faults.get(route)?.shift();
  if (fault?.kind === 'error') {
    if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
    send(response, fault.status ?? 500, { error: { message: 'Try again', code: fault.code ?? null } });
    return true;
  }
  if (fault?.kind === 'hang') return true;
  const served = serveFiles(request, url, body);
  if (served === null) return false;
  if (fault?.kind === 'hold reply') return true;
  if (fault?.kind === 'lose reply') request.socket.destroy();
  else send(response, served.status, served.body);
  return true;
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (chunks.length === 0) return {};
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return JSON.parse(Buffer.concat(chunks).toString());
  const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData();
  const file = form.get('file');
  if (!(file instanceof File)) return { model: form.get('model'), bytes: 0 };
  const uploaded = { name: file.name, text: await file.text() };
  return { model: form.get('model'), purpose: form.get('purpose'), bytes: file.size, file: uploaded };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${getUrl('127.0.0.1', server)}\n`);
});
