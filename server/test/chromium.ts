import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Chromium is on common systems. */
const path = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((candidate) => existsSync(candidate));

/** For a browser test's `skip`: the reason, or false. */
export const noChromium = path === undefined && 'there is no Chromium on this machine';

/** Opens nothing by itself: what it requests, a page has asked for. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
