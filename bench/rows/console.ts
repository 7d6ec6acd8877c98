import { buildConsole } from '@parley/console';
import { createParley } from '@parley/sdk';
import pg from 'pg';
import type { Locator } from 'playwright-core';
import { launchChromium, noChromium } from '../../server/test/chromium.ts';
import { createDatabase, seedTeams } from '../rig/list-database.ts';
import { newDeployment, startParley } from '../rig/parley-process.ts';
import { openThrottled, type ThrottledPage, throttling, toFigures } from '../rig/throttled-page.ts';
import type { FigureRow } from './row.ts';

const teams = 10_000;
const messages = 5_000;
/** Milliseconds to wait for a response. A busy machine makes the throttled browser very slow. */
const timeout = 120_000;

export const consolePages: FigureRow = {
  name: 'console',
  work: `the console at ${throttling} times CPU throttling`,
  async measure(rig) {
    if (noChromium !== false) throw new Error(noChromium);
    await buildConsole();
    await using started = new AsyncDisposableStack();
    const databaseUrl = await createDatabase(rig, 'console');
    const parley = await startParley({
      ...rig,
      deployment: newDeployment(databaseUrl),
      log: 'console',
      roles: 'api,pool,worker',
    });
    started.defer(() => parley.stop());
    const conversationId = await seed(databaseUrl, parley);
    const browser = await launchChromium();
    started.defer(() => browser.close());
    const list = await openThrottled(browser, parley, '/teams');
    await useTeams(list);
    const thread = await openThrottled(browser, parley, `/conversations/${conversationId}`);
    await readThread(thread);
    return [
      ...(await toFigures(list, `a list over ${teams} teams`)),
      ...(await toFigures(thread, `a thread of ${messages} messages`)),
    ];
  },
};

/** Inserts the teams and a conversation with the messages. Returns the conversation's id. */
async function seed(databaseUrl: string, { url, key }: { url: string; key: { id: string; secret: string } }) {
  const api = createParley({ baseUrl: url, key: { key_id: key.id, key_secret: key.secret } });
  const { team } = await api.createTeam({
    team: { name: 'Lumen Bikes' },
    user: { name: 'Ada', email: 'ada@example.com' },
  });
  const bot = await api.createBot({ team_id: team.id, name: 'Lumen' });
  const device = await api.createDevice({ team_id: team.id, bot_id: bot.id, name: 'Front desk' });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await seedTeams(client, teams);
    const { rows } = await client.query<{ id: string }>(
      `insert into conversations (id, team_id, device_id, contact_number)
       values (gen_random_uuid(), $1, $2, '+15550199') returning id`,
      [team.id, device.id],
    );
    await client.query(
      `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                             created_at)
       select gen_random_uuid(), $1, $2, '+15550199', (array['in', 'out'])[1 + n % 2], (array['contact', 'bot'])[1 + n % 2],
              'text', repeat('A message with some words. ', 1 + n % 9), gen_random_uuid()::text,
              (array['answered', 'read'])[1 + n % 2], now() - make_interval(mins => n)
       from generate_series(1, $3::int) n`,
      [team.id, device.id, messages],
    );
    return rows[0]?.id ?? '';
  } finally {
    await client.end();
  }
}

/** Selectors of CSS, because Playwright's search for roles and texts would run on the measured thread. */
async function useTeams({ page }: ThrottledPage): Promise<void> {
  const waitForPage = (shown: string) =>
    page.locator(`nav[aria-label^="Page ${shown}"]`).waitFor({ timeout });
  await waitForPage('1 of 501');
  for (let shown = 2; shown <= 6; shown += 1) {
    await page.locator('[aria-label="Next page"]').click();
    await waitForPage(`${shown} of 501`);
  }
  const search = page.locator('[aria-label="Search by name"]');
  await search.pressSequentially('bicycles');
  await page.locator('nav[aria-label="Page 1 of 50"]').waitFor({ timeout });
  for (let letters = 8; letters > 0; letters -= 1) await search.press('Backspace');
  await waitForPage('1 of 501');
  await page.locator('[aria-label="Payment"]').click();
  await page.locator('[role=option]').nth(1).click();
  await waitForPage('1 of 33');
}

/** Loads and reads the whole thread with the keyboard and the mouse. */
async function readThread({ page }: ThrottledPage): Promise<void> {
  const thread = page.locator('section[aria-label^="Messages with"]');
  const message = (position: number) => thread.locator(`[aria-posinset="${position}"]`);
  await message(messages).waitFor({ timeout });
  await thread.focus();
  // Earlier messages load above those that the reader sees, so they show after the next press.
  for (const end = performance.now() + 5 * timeout; !(await isAttached(message(1))); ) {
    if (performance.now() > end) throw new Error('earlier messages of the thread did not load');
    await page.keyboard.press('Home');
  }
  for (let pages = 0; pages < 10; pages += 1) await page.keyboard.press('PageDown');
  for (let pages = 0; pages < 10; pages += 1) await page.keyboard.press('PageUp');
  await page.keyboard.press('End');
  await message(messages).waitFor({ timeout });
  await thread.hover();
  for (let turns = 0; turns < 10; turns += 1) await page.mouse.wheel(0, -400);
  await page.locator('[aria-label="Search words or numbers"]').pressSequentially('+1555');
  await thread.locator('button[aria-expanded]').last().click();
}

const isAttached = (element: Locator): Promise<boolean> =>
  element.waitFor({ state: 'attached', timeout: 200 }).then(
    () => true,
    () => false,
  );
