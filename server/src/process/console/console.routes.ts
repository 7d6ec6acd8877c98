import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, unavailable } from '../../platform/http/errors.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import { accentStyle, accentsOf } from '../../tenancy/brands/accents.ts';
import type { BrandedHosts, TeamBrand } from '../../tenancy/brands/branded-hosts.ts';
import type { ConsoleFile } from './console-files.ts';
import type { Brand, Console } from './open-console.ts';
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

interface Offers {
  /** Whether the simulated network is on. */
  simulator: boolean;
  /** The networks on which devices can be created. The first is the default. */
  networks: readonly string[];
  /** Whether the service sends mail. */
  mail: boolean;
}

/** Serves the console at `/console` and leads browsers there from `/`. */
export const consoleRoutes =
  ({
    opened,
    offers,
    frameOrigins,
    brandOf,
  }: {
    opened: () => OpenedConsole;
    /** The brand of a host, if a team has the host. */
    brandOf: BrandedHosts['brandOf'];
    offers: Offers;
    frameOrigins: readonly string[];
  }): Routes =>
  (app) => {
    app.get('/', { config }, async (request, reply) => {
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) throw notFound('route');
      return reply.redirect('/console', 302);
    });
    const read = async ({ headers: { host } }: FastifyRequest) => {
      const console = opened();
      if (console === null || console === 'failed') return console;
      return present(console, await brandOf(host), offers);
    };
    for (const path of ['/icon.svg', '/favicon.ico'])
      app.get(path, { config }, async (request, reply) => {
        const presented = await read(request);
        if (presented === null || presented === 'failed') throw notFound('route');
        return sendIcon(reply, presented);
      });
    serveWidget(app, opened);
    serve(app, portalHeaders(frameOrigins), read);
  };

/** The script of the chat, for pages of other sites. */
function serveWidget(app: App, opened: () => OpenedConsole): void {
  app.get('/widget.js', { config }, async (request, reply) => {
    const console = opened();
    const file = console === null || console === 'failed' ? undefined : console.files.get('widget.js');
    if (file === undefined) throw unavailable('console_not_ready', 'The script is being built', 2);
    reply.headers({ 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' });
    return send(request, reply, file);
  });
}

interface Presented {
  page: ConsoleFile;
  icon: Buffer;
  files: ReadonlyMap<string, ConsoleFile>;
}

function serve(
  app: App,
  headersOfPortal: Readonly<Record<string, string>>,
  read: (request: FastifyRequest) => Promise<Presented | 'failed' | null>,
): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string };
    const presented = await read(request);
    reply.headers(/^portal(\/|$)/.test(path) ? headersOfPortal : pageHeaders);
    if (presented === 'failed') throw unavailable('console_not_ready', 'The console is unavailable', 60);
    if (presented === null) throw unavailable('console_not_ready', 'The console is being built', 2);
    if (path === 'icon.svg') return sendIcon(reply, presented);
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

/** Opened as a page, it runs no scripts. */
const sendIcon = (reply: FastifyReply, { icon }: Presented) =>
  reply
    .headers({
      ...pageHeaders,
      'content-security-policy': "default-src 'none'; img-src data:; sandbox",
      'cache-control': 'no-cache',
    })
    .type('image/svg+xml')
    .send(icon);

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

const presentedConsoles = new WeakMap<Console | TeamBrand, { console: Console; presented: Presented }>();

/** Puts the brand of the deployment or of a team into the files, once. */
function present(console: Console, team: TeamBrand | null, offers: Offers): Presented {
  const key = team ?? console;
  const known = presentedConsoles.get(key);
  if (known?.console === console) return known.presented;
  const { version } = console;
  const brand = brandOfTeam(console.brand, team);
  const files = new Map(console.files);
  files.delete('index.html');
  files.set('brand.css', plainFile('text/css; charset=utf-8', Buffer.from(accentStyle(brand.color))));
  files.set('manifest.webmanifest', plainFile('application/manifest+json', describeApp(brand.name)));
  let logo: string | null = null;
  if (brand.logo !== null) {
    const path = `assets/logo-${createHash('sha256').update(brand.logo.bytes).digest('hex').slice(0, 12)}`;
    files.set(path, plainFile(brand.logo.mimeType, Buffer.from(brand.logo.bytes)));
    logo = `/console/${path}`;
  }
  const settings = { brand: { name: brand.name, logo }, ...offers, version };
  const html = (console.files.get('index.html')?.content.toString() ?? '')
    .replace('content="{}"', () => `content="${escapeHtml(JSON.stringify(settings))}"`)
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(brand.name)}</title>`);
  const page = plainFile('text/html; charset=utf-8', Buffer.from(html));
  const presented = { files, page, icon: drawIcon(brand) };
  presentedConsoles.set(key, { console, presented });
  return presented;
}

const brandOfTeam = (brand: Brand, team: TeamBrand | null): Brand => ({
  name: team?.name ?? brand.name,
  color: team?.color ?? brand.color,
  logo: team?.logo && team.logo_type ? { bytes: team.logo, mimeType: team.logo_type } : brand.logo,
});

/** The logo, or the mark of the console in the colour of the brand. */
function drawIcon({ name, color, logo }: Brand): Buffer {
  const { accent, on_accent } = accentsOf(color);
  const content =
    logo === null
      ? `<rect width="32" height="32" rx="8" fill="${accent}"/><path d="M9 8h14a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3h-7l-5 4.5V22H9a3 3 0 0 1-3-3v-8a3 3 0 0 1 3-3z" fill="${on_accent}"/>`
      : `<image width="32" height="32" href="data:${logo.mimeType};base64,${Buffer.from(logo.bytes).toString('base64')}"/>`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>${escapeHtml(name)}</title>${content}</svg>`,
  );
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
