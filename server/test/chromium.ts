import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Common locations of Chromium. */
const path = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((candidate) => existsSync(candidate));

/** The `skip` value of browser tests: a reason, or false. */
export const noChromium = path === undefined && 'there is no Chromium on this machine';

/** Launches Chromium without background requests. */
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
