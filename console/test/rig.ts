import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateBotInput, createParley, type Device, type Parley } from '@parley/sdk';
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core';
import { readQrCode } from '../../scripts/demo/qr-code.ts';
import { type Launch, startService } from '../../scripts/demo/service-process.ts';
import { launchChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';

export interface Rig {
  /** The address of the service. */
  base: string;
  dataDir: string;
  key: { key_id: string; key_secret: string };
  api: Parley;
  /** Opens a page that is signed in with `token`, or with the first key. Null opens it signed out. */
  open(path: string, options?: PageOptions): Promise<ConsolePage>;
  /** Sends a signal to the service. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends the service. */
  stop(): Promise<void>;
  /** Starts the service again at its address, or another program of it. */
  start(launch?: Launch): Promise<void>;
  close(): Promise<void>;
}

interface PageOptions {
  token?: string | null;
  width?: number;
  theme?: 'light' | 'dark';
  locale?: string;
}

export interface ConsolePage {
  page: Page;
  /** Errors of scripts and of the content security policy, and requests to other hosts. */
  problems: string[];
  close(): Promise<void>;
}

/** Scans the QR code of a device with a simulated phone. */
export async function scan({ api }: Rig, id: string, phone: string): Promise<void> {
  const { qr_code: code = '' } = await api.getDeviceStatus({ id });
  await api.request({
    method: 'POST',
    path: '/simulator/scan',
    body: { qr: readQrCode(code), phone_number: phone },
  });
}

/** Creates a team with a bot, which is not published. */
export async function addTeamWithBot(
  { api }: Rig,
  bot: Omit<Partial<CreateBotInput>, 'team_id'> = {},
): Promise<{ teamId: string; botId: string }> {
  const user = { name: 'Ada', email: 'ada@example.com' };
  const { team } = await api.createTeam({ team: { name: 'Harbour Bikes' }, user });
  const { id } = await api.createBot({ name: 'Harbour', ...bot, team_id: team.id });
  return { teamId: team.id, botId: id };
}

/** Creates a device and links it to a simulated phone. */
export async function addLinkedDevice(
  rig: Rig,
  input: { team_id: string; bot_id: string; name: string },
  phone: string,
): Promise<Device> {
  const { id } = await rig.api.createDevice(input);
  await rig.api.connectDevice({ id });
  await scan(rig, id, phone);
  return eventually(async () => {
    const device = await rig.api.getDevice({ id });
    assert.equal(device.connected, true);
    return device;
  });
}

/** Creates a team whose published bot answers on a linked phone without delay. */
export async function addAnsweringBot(
  rig: Rig,
  bot: Omit<Partial<CreateBotInput>, 'team_id'>,
  phone: string,
): Promise<{ teamId: string; botId: string }> {
  const ids = await addTeamWithBot(rig, bot);
  await rig.api.updateTeam({ id: ids.teamId, settings: { reply_delay_seconds: 0 } });
  await rig.api.publishBot({ id: ids.botId });
  await addLinkedDevice(rig, { team_id: ids.teamId, bot_id: ids.botId, name: 'Pier' }, phone);
  return ids;
}

/** Writes to a device as a contact. Returns the id of the conversation with the text of the bot's reply. */
export async function ask(
  rig: Rig,
  message: { from: string; to: string; text: string },
): Promise<{ id: string; reply: string }> {
  await write(rig, message);
  return eventually(async () => {
    const [conversation] = (await rig.api.listConversations({ q: message.from })).data;
    assert.ok(conversation);
    const { data } = await rig.api.listConversationMessages({ id: conversation.id });
    assert.equal(data[0]?.origin, 'bot');
    return { id: conversation.id, reply: data[0].text };
  }, 60_000);
}

/** Writes to a device as a contact. */
export const write = ({ api }: Rig, message: { from: string; to: string; text: string }): Promise<unknown> =>
  api.request({ method: 'POST', path: '/simulator/messages', body: message });

export interface HeldRequest {
  /** Resolves when the page has sent the request. */
  held: Promise<unknown>;
  /** Lets the request continue and waits for its response. */
  release(): Promise<void>;
}

/** Holds the next request with this method and URL. */
export async function holdNextRequest(page: Page, method: string, url: RegExp): Promise<HeldRequest> {
  const { promise, resolve } = Promise.withResolvers<Route>();
  let isHeld = false;
  await page.route(url, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback();
    isHeld = true;
    resolve(route);
  });
  return {
    held: promise,
    async release() {
      const route = await promise;
      await route.continue();
      await (await route.request().response())?.finished();
    },
  };
}

/** Starts the service with its defaults, and a browser. */
export async function startRig(environment: Record<string, string> = {}): Promise<Rig> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-console-'));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const log = join(dataDir, 'console-test.log');
  let service = await startService({ DATA_DIR: dataDir, PORT: '0', ...environment }, log);
  const stop = async () => {
    service.child.kill('SIGTERM');
    await service.ended;
  };
  started.defer(stop);
  const base = service.addresses.api ?? '';
  const key = JSON.parse(await readFile(join(dataDir, 'first-api-key.json'), 'utf8'));
  const browser = await launchChromium();
  started.defer(() => browser.close());
  const api = createParley({ baseUrl: base, key });
  await waitForConsole(base);
  const running = started.move();
  return {
    base,
    dataDir,
    key,
    api,
    async open(path, { token = undefined, ...options } = {}) {
      const signedIn = token === undefined ? await api.getToken() : token;
      return openPage(browser, base, path, { ...options, token: signedIn });
    },
    signal: (name) => void service.child.kill(name),
    stop,
    async start(launch) {
      const { port } = new URL(base);
      service = await startService({ DATA_DIR: dataDir, PORT: port, ...environment }, log, launch);
      await waitForConsole(base);
    },
    close: () => running.disposeAsync(),
  };
}

/** A service whose console was not built by `npm ci` builds it first. */
async function waitForConsole(base: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if ((await fetch(`${base}/console`)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the console was not served within 60 s');
}

async function openPage(
  browser: Browser,
  base: string,
  path: string,
  { token, width = 1280, theme = 'light', locale = 'en-US' }: PageOptions & { token: string | null },
): Promise<ConsolePage> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: theme,
    locale,
    // Transitions would make colours of half-visible elements fail the contrast check.
    reducedMotion: 'reduce',
  });
  if (token !== null) {
    await context.addInitScript((value) => sessionStorage.setItem('console-token', value), token);
  }
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // The browser also reports refused requests, which tests cause on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== base)
      problems.push(`requested ${request.url()}`);
  });
  await page.goto(`${base}/console${path}`);
  return { page, problems, close: () => context.close() };
}

/** Saves a picture of the whole page in the folder SCREENSHOT_DIR, if it is set. */
export async function takePicture({ page }: ConsolePage, name: string): Promise<void> {
  const folder = process.env['SCREENSHOT_DIR'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails if axe finds a violation, or if the page is wider than the window. */
export async function assertAccessible({ page }: ConsolePage, what: string): Promise<void> {
  await page.evaluate(axeSource);
  // An open menu lies at the end of the body, outside of the landmarks.
  const hasMenu = (await page.locator('[role=menu]').count()) > 0;
  const found = await page.evaluate(async (inLandmarks) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({ rules: { region: { enabled: inLandmarks } } });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
  }, !hasMenu);
  assert.deepEqual(found, [], what);
  await assertFits({ page }, what);
}

/** Fails if the page is wider than the window. */
export async function assertFits({ page }: Pick<ConsolePage, 'page'>, what: string): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(Number(overflow) <= 0, `${what} is wider than the window`);
}

/** Fails if something in the element reaches beyond its right edge. */
export async function assertContentFits(element: Locator, what: string): Promise<void> {
  const beyond = await element.evaluate((box) => {
    const { right } = box.getBoundingClientRect();
    return [...box.querySelectorAll('*')]
      .filter((each) => each.getBoundingClientRect().right > right + 1)
      .map((each) => each.outerHTML.slice(0, 200));
  });
  assert.deepEqual(beyond, [], what);
}
