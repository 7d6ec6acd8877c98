import { buildConsole } from '@parley/console';
import { createParley } from '@parley/sdk';
import pg from 'pg';
import { launchChromium, noChromium } from '../../server/test/chromium.ts';
import { fillDatabase } from '../rig/fill-database.ts';
import { createDatabase } from '../rig/list-database.ts';
import { newDeployment, type ParleyProcess, startParley } from '../rig/parley-process.ts';
import { percentile } from '../rig/percentile.ts';
import type { Rig } from '../rig/rig.ts';
import { openThrottled, type ThrottledPage, throttling, toFigures } from '../rig/throttled-page.ts';
import type { Figure, FigureRow } from './row.ts';

const few = 10_000;
const many = 1_000_000;
/** A quick run only shows that the row works. */
const manyQuickly = 30_000;
/** Enough for the 99th percentile. */
const samples = 200;
const timeout = 120_000;

/** How much longer a search may take among many messages. */
const mostTimes = 3;

/** Compares searches of conversations among many and few messages, and uses the inbox over the many in a browser. */
export const conversations: FigureRow = {
  name: 'conversations',
  work: `GET /conversations?q= among ${many} messages, and the inbox over them at ${throttling} times CPU throttling`,
  async measure(rig) {
    if (noChromium !== false) throw new Error(noChromium);
    await buildConsole();
    const isQuick = rig.effort.warmUpSeconds === 0;
    const [large, count] = [isQuick ? manyQuickly : many, isQuick ? 10 : samples];
    await using ends = new AsyncDisposableStack();
    const small = await serve(rig, few, ends);
    const before = await measureSearches(small, count);
    await small.parley.stop();
    const served = await serve(rig, large, ends);
    const after = await measureSearches(served, count);
    const browser = await launchChromium();
    ends.defer(() => browser.close());
    const inbox = await openThrottled(browser, served.parley, '/conversations');
    await useInbox(inbox);
    return [
      ...Object.entries(after).flatMap(([what, p99]) => compare(what, p99, before[what] ?? 0, large)),
      ...(await toFigures(inbox, `the inbox over ${large} messages`)),
    ];
  },
};

/** Takes as long as it finds many conversations, which are as many more as there are messages. */
const proportional = 'a frequent word of all teams';

const compare = (what: string, p99: number, before: number, large: number): Figure[] => [
  { figure: `search for ${what}, p99 among ${large} messages`, value: p99, unit: ' ms' },
  {
    figure: `search for ${what}, p99 among ${large} messages of that among ${few}`,
    value: p99 / before,
    unit: 'x',
    ...(what !== proportional && { goal: { atMost: mostTimes } }),
  },
];

interface Served {
  parley: ParleyProcess;
  client: pg.Client;
  /** A key of a team with about 10,000 messages. */
  teamToken: string;
}

async function serve(rig: Rig, messages: number, ends: AsyncDisposableStack): Promise<Served> {
  const databaseUrl = await createDatabase(rig, `conversations_${messages}`);
  await fillDatabase(databaseUrl, messages, () => undefined);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  ends.defer(() => client.end());
  await addNamesAndRareWords(client);
  const parley = await startParley({
    ...rig,
    deployment: newDeployment(databaseUrl),
    log: `conversations-${messages}`,
    roles: 'api',
  });
  ends.defer(() => parley.stop());
  const { url, key } = parley;
  const api = createParley({ baseUrl: url, key: { key_id: key.id, key_secret: key.secret } });
  const { rows } = await client.query<{ team_id: string }>(
    `select team_id from messages group by team_id order by abs(count(*) - ${few}) limit 1`,
  );
  const ofTeam = await api.createApiKey({ name: 'Desk', scope: 'team', team_id: rows[0]?.team_id ?? '' });
  return { parley, client, teamToken: await createParley({ baseUrl: url, key: ofTeam }).getToken() };
}

/** Every contact has a name, and 50 messages contain the word voucher. */
async function addNamesAndRareWords(client: pg.Client): Promise<void> {
  await client.query(`
    insert into contacts (team_id, contact_number, name)
    select distinct team_id, contact_number,
           (array['Ines', 'Jonas', 'Marta', 'Noor', 'Pavel'])[1 + mod(abs(hashtext(contact_number)), 5)]
             || ' ' || initcap(translate(md5(contact_number), '0123456789', 'ghijklmnop'))
    from conversations`);
  await client.query(`
    update messages set text = text || ' I have a voucher.'
    where id in (select id from messages order by hashtext(id::text) limit 50)`);
  await client.query('vacuum analyze');
}

/** Returns the 99th percentile of each search in milliseconds. */
async function measureSearches(served: Served, count: number): Promise<Record<string, number>> {
  const { parley, client, teamToken } = served;
  const { rows } = await client.query<{ contact_number: string; name: string }>(
    'select contact_number, name from contacts order by hashtext(contact_number) limit $1',
    [count],
  );
  const words = ['tandem', 'helmets', 'workshop', 'chain', 'reserve'];
  const wordOf = (n: number) => words[n % words.length] ?? '';
  const searches: Record<string, { token: string; q: (n: number) => string }> = {
    'a number in the local format': {
      token: parley.token,
      q: (n) => `0${rows[n % rows.length]?.contact_number.slice(3)}`,
    },
    'a name': { token: parley.token, q: (n) => rows[n % rows.length]?.name.split(' ')[1]?.slice(0, 8) ?? '' },
    'a rare word': { token: parley.token, q: () => 'voucher' },
    'a frequent word of a team': { token: teamToken, q: wordOf },
    [proportional]: { token: parley.token, q: wordOf },
  };
  const p99s: Record<string, number> = {};
  for (const [what, { token, q }] of Object.entries(searches)) {
    const search = async (n: number): Promise<number> => {
      const query = new URLSearchParams({ q: q(n), sort: 'last_message_at', limit: '30' });
      const startedAt = performance.now();
      const response = await fetch(`${parley.url}/api/openapi/v1/conversations?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await response.text();
      const took = performance.now() - startedAt;
      if (!response.ok) throw new Error(`a search returned ${text}`);
      if (JSON.parse(text).data.length === 0) throw new Error(`${q(n)} was not found`);
      return took;
    };
    for (let n = 0; n < 10; n += 1) await search(n);
    const took: number[] = [];
    for (let n = 0; n < count; n += 1) took.push(await search(n));
    p99s[what] = percentile(took, 0.99);
  }
  return p99s;
}

/** Selectors of CSS, because Playwright's search for roles and texts would run on the measured thread. */
async function useInbox({ page }: ThrottledPage): Promise<void> {
  const rows = page.locator('main a[href*="/conversations/"]');
  const thread = page.locator('section[aria-label^="Messages with"]');
  await rows.nth(29).waitFor({ timeout });
  for (let shown = 60; shown <= 120; shown += 30) {
    await page.locator('button', { hasText: 'Load more' }).click();
    await rows.nth(shown - 1).waitFor({ timeout });
  }
  for (let steps = 0; steps < 10; steps += 1) {
    await page.keyboard.press('j');
    await page.locator(`main li:nth-child(${steps + 1}) > a[aria-current="page"]`).waitFor({ timeout });
    // The newest chats of the filled database may have no messages.
    await thread.waitFor({ timeout });
  }
  await page.keyboard.press('k');
  const search = page.locator('[aria-label="Search words or numbers"]');
  for (const q of ['tandem', '4915000']) {
    await search.fill('');
    await search.pressSequentially(q);
    await page.waitForURL((url) => url.searchParams.get('q')?.includes(q) === true, { timeout });
    await rows.nth(29).waitFor({ timeout });
  }
  await search.fill('');
  await page.waitForURL((url) => !url.searchParams.has('q'), { timeout });
  await page.locator('[aria-label="Unread"]').click();
  await page.locator('[role=option]').nth(1).click();
  await rows.nth(29).waitFor({ timeout });
}
