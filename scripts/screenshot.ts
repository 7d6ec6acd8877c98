import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { launchChromium, noChromium } from '../server/test/chromium.ts';

/** The picture of the README. */
const file = 'docs/images/chat.png';

/** Runs the demo and takes a picture of the customer's chat. Needs Chromium. */
async function takeScreenshot(): Promise<void> {
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
  const page = await browser.newPage({ viewport: { width: 640, height: 1060 }, deviceScaleFactor: 1.5 });
  await page.goto(chat);
  await page.getByText('Due back').waitFor();
  await mkdir(dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  process.stdout.write(`${file} written\n`);
}

/** Returns the link that the demo prints when it has finished. */
async function findChat(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const link = /Chat with the bot\s+(\S+)/.exec(line)?.[1];
    if (link !== undefined) return link;
  }
  throw new Error('The demo ended before it printed the link of the chat.');
}

await takeScreenshot();
