import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createParley } from '@parley/sdk';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, noChromium } from '../server/test/chromium.ts';

/** The pictures of the README. */
const folder = 'docs/images';

/** Runs the demo and takes pictures of the customer's chat and of the console. Needs Chromium. */
async function takeScreenshots(): Promise<void> {
  if (noChromium !== false) throw new Error(noChromium);
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-screenshot-'));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const demo = spawn(process.execPath, ['scripts/demo/demo.ts'], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.defer(async () => {
    demo.kill('SIGTERM');
    if (demo.exitCode === null) await once(demo, 'exit');
  });
  const chat = await findChat(createInterface({ input: demo.stdout }));
  const browser = await launchChromium();
  started.defer(() => browser.close());
  await mkdir(folder, { recursive: true });
  await photographChat(browser, chat);
  const key = JSON.parse(await readFile(join(dataDir, 'first-api-key.json'), 'utf8'));
  await photographConsole(browser, chat.origin, key);
}

async function photographChat(browser: Browser, chat: URL): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 640, height: 1060 }, deviceScaleFactor: 1.5 });
  await page.goto(chat.href);
  await page.getByText('Due back').waitFor();
  await save(page, 'chat.png');
}

async function photographConsole(
  browser: Browser,
  origin: string,
  key: { key_id: string; key_secret: string },
): Promise<void> {
  const api = createParley({ baseUrl: origin, key });
  const [team, bot] = [(await api.listTeams()).data[0]?.id, (await api.listBots()).data[0]?.id];
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1.5,
  });
  await context.addInitScript(
    (token) => sessionStorage.setItem('console-token', token),
    await api.getToken(),
  );
  const page = await context.newPage();
  const photograph = async (path: string, text: string, file: string) => {
    await page.goto(`${origin}/console${path}`);
    await page.getByText(text).first().waitFor();
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await save(page, file);
  };
  await photograph('', 'Devices connected', 'console-home.png');
  await photograph(`/bots/${bot}?tab=questions`, 'Paste or import', 'console-bot.png');
  await photograph(`/teams/${team}`, 'remaining', 'console-team.png');
}

async function save(page: Page, file: string): Promise<void> {
  await page.screenshot({ path: join(folder, file) });
  process.stdout.write(`${join(folder, file)} written\n`);
}

/** Returns the link that the demo prints when it has finished. */
async function findChat(lines: AsyncIterable<string>): Promise<URL> {
  for await (const line of lines) {
    const link = /Chat with the bot\s+(\S+)/.exec(line)?.[1];
    if (link !== undefined) return new URL(link);
  }
  throw new Error('The demo ended before it printed the link of the chat.');
}

await takeScreenshots();
