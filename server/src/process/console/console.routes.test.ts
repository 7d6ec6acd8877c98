import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createApp } from '../../platform/http/app.ts';
import { createHosts } from '../../platform/shared/hosts.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { consoleRoutes } from './console.routes.ts';
import type { ConsoleFile } from './console-files.ts';
import type { Console } from './open-console.ts';
import { loadBrand } from './open-console.ts';
import type { OpenedConsole } from './start-console.ts';

const file = (type: string, content: string, compressed = false): ConsoleFile => ({
  type,
  content: Buffer.from(content),
  brotli: compressed ? Buffer.from('br') : null,
  gzip: compressed ? Buffer.from('gz') : null,
});
const html = '<html><head><meta name="console-settings" content="{}"><title>Parley</title></head></html>';
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

const opened: Console = {
  version: '1.2.3',
  brand: {
    name: '"><script>$&</script>',
    color: '#0b5cad',
    logo: { bytes: png, mimeType: 'image/png' },
  },
  files: new Map([
    ['index.html', file('text/html', html)],
    ['assets/app-123.js', file('text/javascript', 'let a', true)],
  ]),
};
const jpeg = Buffer.from([0xff, 0xd8, 0xff]);
const brands = new Map([
  [
    'bakery.example',
    {
      teamId: 'a',
      name: 'Bakery',
      color: '#ffee00',
      sender_name: null,
      logo: jpeg,
      logo_type: 'image/jpeg',
    } as const,
  ],
  [
    'shop.example',
    { teamId: 'b', name: 'Shop', color: null, sender_name: null, logo: null, logo_type: null },
  ],
]);
let current: OpenedConsole = opened;
const app = await createApp({
  logger: createLogger('silent'),
  authenticate: () => null,
  requestRate: null,
  trustedProxies: [],
  corsOrigins: [],
  hosts: createHosts(['bakery.example', 'shop.example', 'bakery.example.evil.example']),
  routes: [
    consoleRoutes({
      opened: () => current,
      offers: { simulator: true, networks: ['simulator', 'web'], mail: false },
      frameOrigins: ['https://shop.example'],
      brandOf: (host) => brands.get(host ?? '') ?? null,
    }),
  ],
});
after(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { host: 'localhost', ...headers } });

test('only the portal may be in a frame, and only of a listed origin', async () => {
  for (const url of ['/console/portal', '/console/portal/conversations']) {
    const { headers } = await get(url);
    assert.match(String(headers['content-security-policy']), /frame-ancestors https:\/\/shop\.example$/);
    assert.equal(headers['x-frame-options'], undefined);
  }
  for (const url of ['/console', '/console/portals', '/console/link']) {
    const { headers } = await get(url);
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'$/);
    assert.equal(headers['x-frame-options'], 'DENY');
  }
});

test('leads browsers from / to the console, and responds to other clients as to an unknown route', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml' });
  assert.deepEqual([browser.statusCode, browser.headers.location], [302, '/console']);
  const client = await get('/', { accept: '*/*' });
  assert.deepEqual([client.statusCode, client.json().details.reason], [404, 'route_not_found']);
});

test('sends the page for every address of the console, with a policy against foreign code and frames', async () => {
  for (const url of ['/console', '/console/', '/console/teams/1?tab=settings']) {
    const { statusCode, headers, body } = await get(url);
    assert.equal(statusCode, 200, url);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*|https?:/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.doesNotMatch(body, /<script>/);
    const [, content = ''] = /content="([^"]*)"/.exec(body) ?? [];
    const settings = JSON.parse(
      content
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    );
    assert.equal(settings.brand.name, opened.brand.name);
    assert.deepEqual(
      [settings.simulator, settings.networks, settings.mail, settings.version],
      [true, ['simulator', 'web'], false, '1.2.3'],
    );
  }
});

test('sends hashed files compressed and for ever, and 404 for those of another build', async () => {
  for (const [accepted, encoding, body] of [
    ['gzip, br', 'br', 'br'],
    ['gzip', 'gzip', 'gz'],
    ['identity', undefined, 'let a'],
  ]) {
    const response = await get('/console/assets/app-123.js', { 'accept-encoding': accepted ?? '' });
    assert.deepEqual([response.headers['content-encoding'], response.body], [encoding, body]);
    assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(response.headers['vary'], 'Accept-Encoding');
  }
  assert.equal((await get('/console/assets/app-000.js')).statusCode, 404);
  assert.equal(
    (await get('/console/../package.json')).headers['content-type']?.toString().includes('json'),
    true,
  );
});

test('sends the logo and the accent colour', async () => {
  const [, logo = ''] = /(\/console\/assets\/logo-\w+)/.exec((await get('/console')).body) ?? [];
  const picture = await get(logo);
  assert.deepEqual([picture.statusCode, picture.headers['content-type']], [200, 'image/png']);
  assert.match((await get('/console/brand.css')).body, /--accent: #0b5cad/);
});

test('shows the brand of the host, and the brand of another host nowhere else', async () => {
  const atBakery = { host: 'bakery.example' };
  const page = (await get('/console', atBakery)).body;
  assert.match(page, /<title>Bakery<\/title>/);
  const [, logo = ''] = /(\/console\/assets\/logo-\w+)/.exec(page) ?? [];
  assert.equal((await get(logo, atBakery)).headers['content-type'], 'image/jpeg');
  assert.match((await get('/console/manifest.webmanifest', atBakery)).body, /"name":"Bakery"/);
  for (const host of ['shop.example', 'localhost', 'bakery.example.evil.example'])
    assert.equal((await get(logo, { host })).statusCode, 404, host);
  const shop = await get('/console', { host: 'shop.example' });
  assert.match(shop.body, /<title>Shop<\/title>/);
  assert.match((await get('/console/brand.css', { host: 'shop.example' })).body, /--accent: #0b5cad/);
  assert.match((await get('/console/brand.css', atBakery)).body, /--accent: #ffee00/);
  assert.doesNotMatch(shop.body + (await get('/console')).body, /Bakery/);
});

test('sends the icon of the brand, which runs no scripts', async () => {
  for (const url of ['/icon.svg', '/favicon.ico', '/console/icon.svg']) {
    const { statusCode, headers, body } = await get(url, { host: 'bakery.example' });
    assert.deepEqual([statusCode, headers['content-type']], [200, 'image/svg+xml'], url);
    assert.equal(headers['content-security-policy'], "default-src 'none'; img-src data:; sandbox");
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.ok(body.includes(jpeg.toString('base64')) && body.includes('<title>Bakery</title>'), url);
  }
  const { body } = await get('/icon.svg', { host: 'shop.example' });
  assert.match(body, /<title>Shop<\/title><image/, 'the logo of the deployment');
  current = { ...opened, brand: { ...opened.brand, logo: null } };
  const drawn = (await get('/icon.svg')).body;
  assert.match(drawn, /fill="#0b5cad"/);
  assert.doesNotMatch(drawn, /<script/);
  current = opened;
});

test('responds 503 until the console is built', async () => {
  current = null;
  const response = await get('/console');
  assert.deepEqual([response.statusCode, response.json().details.reason], [503, 'console_not_ready']);
  current = 'failed';
  const failed = await get('/console');
  assert.deepEqual([failed.statusCode, failed.headers['retry-after']], [503, '60']);
  assert.equal(failed.json().error, 'The console is unavailable');
  assert.match(String(failed.headers['content-security-policy']), /default-src 'none'/);
  current = opened;
});

test('uses no logo that is missing, too large or no picture, and says why', async () => {
  const warnings: string[] = [];
  const logger = createLogger('warn', { write: (line) => warnings.push(line) });
  const load = (fetchImage: Parameters<typeof loadBrand>[0]['fetchImage']) =>
    loadBrand({ name: 'A', color: '#000000', logoUrl: 'https://a.example/logo', fetchImage, logger });
  assert.notEqual((await load(async () => ({ bytes: png, mimeType: 'image/png' }))).logo, null);
  assert.equal((await load(async () => ({ bytes: png, mimeType: 'image/tiff' }))).logo, null);
  const large = new Uint8Array(512 * 1024 + 1);
  assert.equal((await load(async () => ({ bytes: large, mimeType: 'image/png' }))).logo, null);
  assert.equal((await load(() => Promise.reject(new Error('refused')))).logo, null);
  assert.equal(warnings.length, 3);
});
