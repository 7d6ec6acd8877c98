import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { control } from './control.ts';
import { GraphError, sendMessage } from './send.ts';
import { type Account, FakeState, sha256, type Template } from './state.ts';
import { Webhooks } from './webhooks.ts';

/**
 * The Graph API of WhatsApp in a process of its own: `program.ts`. Prints its address when it is ready. `/control/…` is for tests
 * (control.ts). It imports nothing from the server.
 */
const state = new FakeState();
const webhooks = new Webhooks();
const version = '/v26.0/';

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    if (error instanceof GraphError) return refuse(response, error);
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    request.socket.destroy();
  });
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://fake');
  const body = await readBody(request);
  if (url.pathname.startsWith('/control/')) {
    const given = body.length === 0 ? {} : JSON.parse(String(body));
    const result = await control({ state, webhooks }, url.pathname.slice('/control/'.length), given);
    return send(response, 200, result);
  }
  const account = authenticate(request);
  if (url.pathname.startsWith('/files/'))
    return serveFile(response, account, url.pathname.slice('/files/'.length));
  if (!url.pathname.startsWith(version)) throw new GraphError(404, 2500, 'Unknown path');
  const [id = '', edge = ''] = url.pathname.slice(version.length).split('/');
  const route = `${request.method} ${edge}`;
  if (id === account.phone_number_id && route === 'GET ')
    return send(response, 200, describeNumber(account, url.searchParams.get('fields') ?? 'id'));
  if (id === account.phone_number_id && route === 'POST media')
    return send(response, 200, { id: await storeUpload(request, body, account) });
  if (id === account.phone_number_id && route === 'POST messages') return answerSend(response, account, body);
  if (id === account.waba_id && route === 'POST subscribed_apps') {
    account.subscribed = true;
    return send(response, 200, { success: true });
  }
  if (id === account.waba_id && edge === 'message_templates')
    return send(response, 200, serveTemplates(request, url, account, body));
  const medium = state.media.get(id);
  if (request.method === 'GET' && medium?.owner === account.phone_number_id) {
    const fault = state.mediaFaults.shift();
    if (fault !== undefined) throw new GraphError(fault.status, fault.code, 'a fault of the test');
    const { mime_type, bytes } = medium;
    const file = `${address()}/files/${state.addressOf(id)}`;
    const described = { mime_type, sha256: sha256(bytes), file_size: bytes.length, id };
    return send(response, 200, { messaging_product: 'whatsapp', url: file, ...described });
  }
  throw new GraphError(
    400,
    100,
    `Unsupported ${request.method} request. Object with ID '${id}' does not exist`,
  );
}

/** The token in the header belongs to one number of the tests. */
function authenticate({ headers }: IncomingMessage): Account {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const account = state.findByToken(token);
  if (account === undefined) throw new GraphError(401, 190, 'Invalid OAuth access token');
  return account;
}

function describeNumber(account: Account, wanted: string): object {
  const { display_phone_number: digits } = account;
  const known: Record<string, unknown> = {
    id: account.phone_number_id,
    display_phone_number: `+${digits.slice(0, 1)} ${digits.slice(1)}`,
    verified_name: 'Harbour Rentals',
    quality_rating: account.quality_rating,
    throughput: { level: 'STANDARD' },
    whatsapp_business_manager_messaging_limit: account.messaging_limit,
    is_on_biz_app: account.is_on_biz_app,
  };
  const fields = wanted.split(',');
  const unknown = fields.find((field) => !(field in known));
  if (unknown !== undefined) throw new GraphError(400, 100, `Tried accessing nonexisting field (${unknown})`);
  return Object.fromEntries([...fields, 'id'].map((field) => [field, known[field]]));
}

function answerSend(response: ServerResponse, account: Account, body: Buffer): void {
  const { response: sent, report } = sendMessage(state, webhooks, account, JSON.parse(String(body)));
  if (sent === null) {
    response.destroy();
  } else {
    send(response, 200, sent);
  }
  report();
}

async function storeUpload(
  request: IncomingMessage,
  body: Buffer,
  { phone_number_id: owner }: Account,
): Promise<string> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Uint8Array.from(body), { headers }).formData();
  const file = form.get('file');
  if (form.get('messaging_product') !== 'whatsapp')
    throw new GraphError(400, 100, 'messaging_product is required');
  if (!(file instanceof File) || file.size === 0) throw new GraphError(400, 100, 'file is required');
  if (file.size > 16 * 1024 * 1024) throw new GraphError(400, 131052, 'the file is too large');
  return state.storeMedium({ bytes: Buffer.from(await file.arrayBuffer()), mime_type: file.type, owner });
}

function serveFile(response: ServerResponse, account: Account, name: string): void {
  const found = state.addresses.get(name);
  const medium = state.media.get(found?.medium ?? '');
  if (found === undefined || medium?.owner !== account.phone_number_id || state.now() > found.until)
    throw new GraphError(404, 100, 'The address has expired');
  response.writeHead(200, { 'content-type': medium.mime_type, 'content-length': medium.bytes.length });
  response.end(medium.bytes);
}

function serveTemplates(
  request: IncomingMessage,
  url: URL,
  { waba_id: waba }: Account,
  body: Buffer,
): object {
  const templates = state.templates.get(waba) ?? [];
  if (request.method === 'GET') {
    const wanted = url.searchParams.get('fields')?.split(',') ?? defaultTemplateFields;
    return { data: templates.map((template) => pick(template, wanted)), paging: {} };
  }
  if (request.method === 'DELETE') {
    const name = url.searchParams.get('name');
    const hsm = url.searchParams.get('hsm_id');
    if (!templates.some((template) => template.name === name))
      throw new GraphError(404, 100, 'Template does not exist');
    state.templates.set(
      waba,
      templates.filter((template) => template.name !== name || (hsm !== null && template.id !== hsm)),
    );
    return { success: true };
  }
  const given: Template = JSON.parse(String(body));
  if (!/^[a-z0-9_]{1,512}$/.test(given.name)) throw new GraphError(400, 100, 'Invalid parameter: name');
  if (templates.some(({ name, language }) => name === given.name && language === given.language))
    throw invalidTemplate('There is already content in this language for this template.');
  const text = given.components.find(({ type }) => type === 'BODY')?.text ?? '';
  if (text === '' || /^{{\d+}}|{{\d+}}$/.test(text))
    throw invalidTemplate('Variables cannot be at the start or the end of the template.');
  const { name, language, category, components } = given;
  const template: Template = {
    id: String(10n ** 14n + BigInt(templates.length) + BigInt(Math.floor(Math.random() * 1e12))),
    name,
    language,
    category,
    components,
    status: 'PENDING',
    rejected_reason: 'NONE',
  };
  state.templates.set(waba, [...templates, template]);
  return { id: template.id, status: template.status, category };
}

const invalidTemplate = (userMessage: string) =>
  new GraphError(400, 100, 'Invalid parameter', undefined, userMessage);

/** The network leaves out other fields unless they are asked for. */
const defaultTemplateFields = ['id', 'name', 'language', 'category', 'status', 'components'];

const pick = (template: Template, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(template).filter(([field]) => fields.includes(field)));

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(
  response: ServerResponse,
  { status, code, message, retryAfter, userMessage }: GraphError,
): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  const type = code === 190 ? 'OAuthException' : 'GraphMethodException';
  const error_user_msg = userMessage;
  const error = { message: `(#${code}) ${message}`, type, code, error_user_msg, fbtrace_id: 'Fake' };
  send(response, status, { error });
}

const address = (): string => {
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
};

server.listen(0, '127.0.0.1', () => process.stdout.write(`${address()}\n`));
process.on('SIGTERM', () => {
  webhooks.stop();
  process.exit(0);
});
