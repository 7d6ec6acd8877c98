import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, unavailable } from '../../platform/http/errors.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import type { ConsoleFile } from './console-files.ts';
import type { Console } from './open-console.ts';
import type { OpenedConsole } from './start-console.ts';

const contentSecurityPolicy = (frameAncestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy("'none'"),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Only the portal may be in a frame, and only in pages that the operator lists. It has no cookie that such a page could use. */
const portalHeaders = (frameOrigins: readonly string[]) => {
  if (frameOrigins.length === 0) return pageHeaders;
  const { 'x-frame-options': _, 'cross-origin-resource-policy': __, ...headers } = pageHeaders;
  return {
    ...headers,
    'content-security-policy': contentSecurityPolicy(frameOrigins.join(' ')),
    'cross-origin-resource-policy': 'cross-origin',
  };
};

const immutable = 'public, max-age=31536000, immutable';
const config = { access: 'public', routine: true } as const;

/** Serves the console at `/console` and leads browsers there from `/`. */
export const consoleRoutes =
  ({
    opened,
    simulator,
    frameOrigins,
  }: {
    opened: () => OpenedConsole;
    simulator: boolean;
    frameOrigins: readonly string[];
  }): Routes =>
  (app) => {
    app.get('/', { config }, async (request, reply) => {
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) throw notFound('route');
      return reply.redirect('/console', 302);
    });
    serve(app, portalHeaders(frameOrigins), () => {
      const console = opened();
      return console === null || console === 'failed' ? console : present(console, simulator);
    });
  };

interface Presented {
  page: ConsoleFile;
  files: ReadonlyMap<string, ConsoleFile>;
}

function serve(
  app: App,
  headersOfPortal: Readonly<Record<string, string>>,
  read: () => Presented | 'failed' | null,
): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string };
    const presented = read();
    reply.headers(/^portal(\/|$)/.test(path) ? headersOfPortal : pageHeaders);
    if (presented === 'failed') throw unavailable('console_not_ready', 'The console is unavailable', 60);
    if (presented === null) throw unavailable('console_not_ready', 'The console is being built', 2);
    const file = presented.files.get(path);
    if (file === undefined && path.startsWith('assets/')) throw notFound('route');
    if (file === undefined) return send(request, reply, presented.page);
    if (path.startsWith('assets/')) reply.header('cache-control', immutable);
    else reply.header('cache-control', 'no-cache');
    return send(request, reply, file);
  };
  app.get('/console', { config }, handle);
  app.get('/console/', { config }, handle);
  app.get('/console/*', { config }, handle);
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const accepted = headers['accept-encoding'] ?? '';
  const encoding =
    file.brotli !== null && /\bbr\b/.test(accepted)
      ? 'br'
      : file.gzip !== null && /\bgzip\b/.test(accepted)
        ? 'gzip'
        : null;
  reply.header('vary', 'Accept-Encoding').type(file.type);
  if (encoding === null) return reply.send(file.content);
  return reply.header('content-encoding', encoding).send(encoding === 'br' ? file.brotli : file.gzip);
}

const presentedConsoles = new WeakMap<Console, Presented>();

/** Puts the brand into the files, once. */
function present(console: Console, simulator: boolean): Presented {
  const known = presentedConsoles.get(console);
  if (known !== undefined) return known;
  const { brand, version } = console;
  const files = new Map(console.files);
  files.delete('index.html');
  files.set('brand.css', plainFile('text/css; charset=utf-8', Buffer.from(brand.style)));
  files.set('manifest.webmanifest', plainFile('application/manifest+json', describeApp(brand.name)));
  let logo: string | null = null;
  if (brand.logo !== null) {
    const path = `assets/logo-${createHash('sha256').update(brand.logo.bytes).digest('hex').slice(0, 12)}`;
    files.set(path, plainFile(brand.logo.mimeType, Buffer.from(brand.logo.bytes)));
    logo = `/console/${path}`;
  }
  const settings = { brand: { name: brand.name, logo }, simulator, version };
  const html = (console.files.get('index.html')?.content.toString() ?? '')
    .replace('content="{}"', () => `content="${escapeHtml(JSON.stringify(settings))}"`)
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(brand.name)}</title>`);
  const presented = { files, page: plainFile('text/html; charset=utf-8', Buffer.from(html)) };
  presentedConsoles.set(console, presented);
  return presented;
}

/** Lets the console be installed as an app. */
const describeApp = (name: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      name,
      short_name: name,
      id: '/console/',
      start_url: '/console/',
      scope: '/console/',
      display: 'standalone',
      icons: [{ src: '/console/icon.svg', sizes: 'any', type: 'image/svg+xml' }],
    }),
  );

const plainFile = (type: string, content: Buffer): ConsoleFile => ({
  type,
  content,
  brotli: null,
  gzip: null,
});

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
