import type { Browser, Page } from 'playwright-core';
import type { Figure } from '../rows/row.ts';

/** How much slower than the machine the browser's CPU is. */
export const throttling = 4;

export interface ThrottledPage {
  page: Page;
  /** The duration of each interaction in milliseconds, from the input to the next paint. */
  durations(): Promise<number[]>;
}

/** Records the durations in the page. Playwright types code that runs in the page as text. */
const recorder = `
  window.interactions = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0)
        window.interactions.set(interactionId, Math.max(duration, window.interactions.get(interactionId) ?? 0));
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

export async function openThrottled(
  browser: Browser,
  { url, token }: { url: string; token: string },
  path: string,
): Promise<ThrottledPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await context.addInitScript((value) => sessionStorage.setItem('console-token', value), token);
  await context.addInitScript(recorder);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttling });
  await page.goto(`${url}/console${path}`);
  return { page, durations: () => page.evaluate('[...window.interactions.values()]') };
}

export async function toFigures({ durations }: ThrottledPage, what: string): Promise<Figure[]> {
  const sorted = (await durations()).sort((a, b) => b - a);
  return [
    {
      figure: `interaction to next paint, ${what} (${sorted.length} interactions of 16 ms or more)`,
      // By its definition, INP leaves out one interaction of 50.
      value: sorted[Math.floor(sorted.length / 50)] ?? 0,
      unit: ' ms',
      goal: { atMost: 200 },
    },
    { figure: `the slowest interaction, ${what}`, value: sorted[0] ?? 0, unit: ' ms' },
  ];
}
