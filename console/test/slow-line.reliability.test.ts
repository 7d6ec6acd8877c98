import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { addTeamWithBot, type Rig, startRig } from './rig.ts';

const bytesPerSecond = 200 * 1024;
const delayMs = 150;
const limitMs = 2_000;

interface Load {
  /** One after the other, because each answer leads to the next requests. */
  rounds: string[][];
  bytes: number;
}

/**
 * Opens the page on a slow line and counts what it loads until the heading shows. Requests wait until the page asks for nothing more, and
 * then leave together, so that the count does not depend on the speed of the machine.
 */
async function loadUntil(page: Page, url: string, heading: Locator): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: delayMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  const held: Route[] = [];
  let documentBytes: Promise<number> = Promise.resolve(0);
  await page.route('**/*', (route) => {
    if (route.request().isNavigationRequest()) documentBytes = release(route);
    else held.push(route);
  });
  await page.goto(url, { waitUntil: 'commit' });
  const load: Load = { rounds: [['document']], bytes: await documentBytes };
  for (;;) {
    const isShown = await eventually(async () => {
      const shown = await heading.isVisible();
      assert.ok(shown || held.length > 0);
      return shown;
    }, 60_000);
    if (isShown) break;
    await untilIdle(page);
    const wave = held.splice(0);
    load.rounds.push(wave.map((route) => new URL(route.request().url()).pathname));
    for (const size of await Promise.all(wave.map(release))) load.bytes += size;
  }
  await page.unroute('**/*');
  return load;
}

/** Lets the request go. Returns the bytes of its response, or none for a stream, which does not end. */
async function release(route: Route): Promise<number> {
  const request = route.request();
  await route.continue();
  const response = await request.response();
  if (response === null || response.headers()['content-type']?.startsWith('text/event-stream')) return 0;
  await response.finished();
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return responseBodySize + responseHeadersSize;
}

/** Lets the page run its pending tasks. Idle callbacks and frames would wait for a style sheet that is held. */
const untilIdle = (page: Page): Promise<unknown> =>
  page.evaluate(
    '(async () => { for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setTimeout(go)); })()',
  );

describe('the console on a line with 200 KB/s and a delay of 150 ms', {
  skip: noChromium,
  timeout: 900_000,
}, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    await addTeamWithBot(rig);
  });
  after(() => rig.close());

  for (const [what, path, signedIn] of [
    ['the sign-in form', '', false],
    ['the home page', '/', true],
    ['the conversations', '/conversations', true],
    ['the page of a link', '/link#invented', false],
  ] as const)
    it(`shows the heading of ${what} within 2 s of the first byte`, async (t) => {
      const first = await rig.open('', { token: null });
      const browser = first.page.context().browser();
      assert.ok(browser);
      const context = await browser.newContext({ locale: 'en-US', serviceWorkers: 'block' });
      if (signedIn) {
        const token = await rig.api.getToken();
        await context.addInitScript((value) => sessionStorage.setItem('console-token', value), token);
      }
      const page = await context.newPage();
      const heading = page.getByRole('heading', { level: 1 }).first();
      const { rounds, bytes } = await loadUntil(page, `${rig.base}/console${path}`, heading);
      // The first byte ends the first round. Further connections open beside the first one, which takes another delay.
      const ms = rounds.length * delayMs + (bytes / bytesPerSecond) * 1000;
      const shown = rounds.map((round) => round.join(', ')).join('\n');
      t.diagnostic(`${ms.toFixed(0)} ms: ${rounds.length} rounds, ${(bytes / 1024).toFixed(0)} KiB`);
      assert.ok(bytes > 50_000, `counted ${bytes} bytes`);
      assert.ok(ms <= limitMs, `${ms.toFixed(0)} ms with ${bytes} bytes in these rounds:\n${shown}`);
      await context.close();
      await first.close();
    });
});
