import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getUrl } from '../../src/platform/shared/listening.ts';
import { FakeBot, type Fault, type Json, Refusal, type SentFile } from './bot-api.ts';

/**
 * A fake Bot API of Telegram in a process of its own. Prints its address when it is ready. Users act with `POST /control/<what>`.
 */
const bots = new Map<string, FakeBot>();

const controls: Readonly<Record<string, (body: Json) => Json>> = {
  bot({ users }) {
    const bot = new FakeBot(4_000_000 + bots.size);
    bots.set(bot.token, bot);
    for (const user of users) bot.addUser({ is_bot: false, ...user });
    return { token: bot.token, username: bot.me.username };
  },
  write: ({ token, user, content, kind }) => botOf(token).write(user, content, kind),
  file: ({ token, base64, name, size }) => botOf(token).addFile(Buffer.from(base64, 'base64'), name, size),
  update: ({ token, kind, content }) => botOf(token).update(kind, content),
  press({ token, user, messageId, data }) {
    const bot = botOf(token);
    const message = bot.findMessage(user, messageId);
    bot.update('callback_query', { id: `${messageId}-${data}`, from: { id: user }, message, data });
  },
  block: ({ token, user, blocked }) => botOf(token).setBlocked(user, blocked),
  proxy({ token, origin }) {
    botOf(token).origin = origin;
  },
  repeat: ({ token }) => botOf(token).repeatLast(),
  fault({ token, method, fault }: { token: string; method: string; fault: Fault }) {
    const { faults } = botOf(token);
    faults.set(method, [...(faults.get(method) ?? []), fault]);
  },
  state({ token }) {
    const bot = botOf(token);
    const sent = bot.sent.map(({ file, ...each }) => ({
      ...each,
      file: file && { name: file.name, type: file.type, base64: file.bytes.toString('base64') },
    }));
    return { sent, answered: bot.answered, pending: bot.pendingCount() };
  },
};

function botOf(token: string): FakeBot {
  const bot = bots.get(token);
  if (bot === undefined) throw new Refusal(401, 'Unauthorized');
  return bot;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const { fields, file } = await readBody(request);
  const [, control] = /^\/control\/(\w+)$/.exec(pathname) ?? [];
  if (control !== undefined) return send(response, 200, controls[control]?.(fields) ?? {});
  const [, fileToken = '', path = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
  if (path !== '') {
    const bytes = botOf(fileToken).download(path);
    if (bytes === null) return void response.writeHead(404).end();
    return void response.writeHead(200).end(bytes);
  }
  const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(pathname) ?? [];
  if (!/^\d+:[\w-]{35}$/.test(token)) throw new Refusal(404, 'Not Found');
  const bot = botOf(token);
  const fault = bot.faults.get(method)?.shift();
  if (fault?.kind === 'refused')
    throw new Refusal(fault.code ?? 400, fault.description ?? 'Bad Request', fault.retryAfter);
  const result = bot.call(method, { ...Object.fromEntries(searchParams), ...fields }, file);
  if (fault?.kind === 'lost') return void request.socket.destroy();
  send(response, 200, { ok: true, result });
}

async function readBody(request: IncomingMessage): Promise<{ fields: Json; file: SentFile | null }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (body.length === 0) return { fields: {}, file: null };
  if (!type.startsWith('multipart/')) return { fields: JSON.parse(body.toString()), file: null };
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const fields: Record<string, string> = {};
  const files = new Map<string, SentFile>();
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = value;
    else
      files.set(name, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  // A member may be the file, or name it with `attach://`.
  const [file = null] = files.values();
  return { fields, file };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    if (!(error instanceof Refusal)) {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      return request.socket.destroy();
    }
    const { code, message: description, retryAfter } = error;
    const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
    send(response, code, { ok: false, error_code: code, description, ...parameters });
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${getUrl('127.0.0.1', server)}\n`));
