import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import {
  assertAccessible,
  assertContentFits,
  assertFits,
  type ConsolePage,
  holdNextRequest,
  type Rig,
  startRig,
  takePicture,
} from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">"\'><script>window.injected=1</script>';

/** The addresses of all pages, except devices, conversations and webhooks, by the name of their picture. */
async function allPages({ api }: Rig): Promise<Record<string, string>> {
  const [team] = (await api.listTeams()).data;
  const [bot] = (await api.listBots()).data;
  const lists = [
    'teams',
    'contacts',
    'bots',
    'documents',
    'api-keys',
    'plans',
    'pools',
    'audit-log',
    'people',
    'phone',
    'nowhere',
  ];
  const tabs = [
    'instructions',
    'questions',
    'actions',
    'documents',
    'settings',
    'quality',
    'numbers',
    'versions',
  ];
  return {
    home: '',
    ...Object.fromEntries(lists.map((name) => [name, `/${name}`])),
    team: `/teams/${team?.id}`,
    'team-compliance': `/teams/${team?.id}/compliance`,
    'team-numbers': `/teams/${team?.id}?tab=numbers`,
    'team-people': `/teams/${team?.id}?tab=people`,
    'team-settings': `/teams/${team?.id}?tab=settings`,
    'documents-of-team': `/documents?team=${team?.id}`,
    'teams-of-nobody': '/teams?name=nobody',
    ...Object.fromEntries(tabs.map((tab) => [`bot-${tab}`, `/bots/${bot?.id}?tab=${tab}`])),
  };
}

async function waitUntilLoaded({ page }: ConsolePage): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
}

describe('the pages of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  it('leads a new operator to a bot that answers on a phone, in under a minute', async (t) => {
    const { page, problems, close } = await rig.open('');
    const started = performance.now();
    await page.getByRole('button', { name: 'Create the demo team' }).click();
    await page.getByText('Your bot is ready').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'How much is the deposit for an electric bike?' }).click();
    await page.getByText('150 euros').waitFor({ timeout: 60_000 });
    await page.getByRole('textbox', { name: 'Message' }).fill('Do you lend helmets?');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await page.getByText('a helmet is included').waitFor({ timeout: 60_000 });
    const seconds = (performance.now() - started) / 1000;
    t.diagnostic(`${seconds.toFixed(1)} s until the second answer`);
    assert.ok(seconds < 60, `${seconds} s`);
    await page.getByRole('link', { name: 'Edit the bot' }).click();
    await page.getByRole('heading', { name: 'Lumen', level: 1 }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('has no accessibility problem on any page, in both themes, wide and narrow', async () => {
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      for (const [name, path] of Object.entries(await allPages(rig))) {
        const opened = await rig.open(path, { theme, width });
        await waitUntilLoaded(opened);
        await takePicture(opened, `${name}-${theme}-${width}`);
        await assertAccessible(opened, `${path} ${theme} ${width}`);
        assert.deepEqual(opened.problems, [], path);
        await opened.close();
      }
    }
  });

  it('fits the window in every language', async () => {
    for (const locale of ['es', 'pt', 'de'])
      for (const width of [1280, 390]) {
        const opened = await rig.open('/nowhere', { locale, width });
        for (const [name, path] of Object.entries(await allPages(rig))) {
          await opened.page.goto(`${rig.base}/console${path}`);
          await waitUntilLoaded(opened);
          await takePicture(opened, `${name}-${locale}-${width}`);
          await assertFits(opened, `${path} ${locale} ${width}`);
        }
        await opened.close();
      }
  });

  it('has no accessibility problem in its dialogs and menus', async () => {
    const steps: [string, string[]][] = [
      ['/teams', ['New team']],
      ['/api-keys', ['New API key']],
      ['/plans', ['New plan']],
      ['/bots', ['New bot']],
      ['/people', ['Add a person']],
      ['/teams', ['Account']],
    ];
    for (const theme of ['light', 'dark'] as const) {
      for (const [path, [name = '']] of steps) {
        const opened = await rig.open(path, { theme });
        if (name === 'Account') await opened.page.getByTitle('Account and appearance').click();
        else await opened.page.getByRole('button', { name }).first().click();
        await opened.page.locator('[role=dialog], [role=menu]').waitFor();
        await takePicture(opened, `${name.toLowerCase().replace(' ', '-')}-${theme}`);
        await assertAccessible(opened, `${path} ${name} ${theme}`);
        await opened.close();
      }
    }
  });

  it('shows markup in names, texts and file names as text', async () => {
    const { team } = await rig.api.createTeam({
      team: { name: payload.slice(0, 100) },
      user: { name: payload.slice(0, 100), email: 'x@example.com' },
    });
    const file = new File(['Some text about bikes.'], `${payload.replaceAll('/', '').slice(0, 60)}.txt`);
    const document = await rig.api.uploadDocument({ team_id: team.id, file });
    const bot = await rig.api.createBot({
      team_id: team.id,
      name: payload.slice(0, 100),
      instructions: payload,
      description: payload,
      questions: [{ question: payload, answer: payload }],
      actions: [{ name: payload.slice(0, 100), description: payload, endpoint: 'https://example.com/' }],
      document_ids: [document.id],
    });
    await rig.api.createApiKey({ name: payload.slice(0, 100), scope: 'team', team_id: team.id });
    const tabs = [
      'instructions',
      'questions',
      'actions',
      'documents',
      'settings',
      'quality',
      'numbers',
      'versions',
    ];
    const paths = [
      '',
      '/teams',
      `/teams/${team.id}`,
      '/bots',
      '/documents',
      `/documents?team=${team.id}`,
      '/api-keys',
    ];
    for (const path of [...paths, ...tabs.map((tab) => `/bots/${bot.id}?tab=${tab}`)]) {
      const { page, problems, close } = await rig.open(path, { width: 390 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      assert.equal(await page.evaluate('window.injected'), undefined, path);
      assert.equal(await page.evaluate("document.querySelectorAll('#root img').length"), 0, path);
      assert.deepEqual(problems, [], path);
      await close();
    }
    await rig.api.deleteTeam({ id: team.id });
  });

  it('keeps long words inside their boxes, and deletes a team whose name is hard to type', async () => {
    const user = { name: 'Ada', email: 'ada@example.com' };
    const long = await rig.api.createTeam({ team: { name: 'W'.repeat(100) }, user });
    const odd = await rig.api.createTeam({ team: { name: 'Harbour  \u202eBikes' }, user });
    for (const [id, typed] of [
      [long.team.id, long.team.name],
      [odd.team.id, 'Harbour Bikes'],
    ] as const) {
      const { page, problems, close } = await rig.open(`/teams/${id}`, { width: 390 });
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete team' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill(typed);
      await assertContentFits(dialog, typed);
      await dialog.getByRole('button', { name: 'Delete team' }).click();
      await page.getByRole('heading', { name: 'Teams', level: 1 }).waitFor();
      assert.deepEqual(problems, []);
      await close();
    }
  });

  it('suggests the first object of a team that has none', async () => {
    const { team } = await rig.api.createTeam({
      team: { name: 'Empty' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    const { page, problems, close } = await rig.open('/nowhere');
    for (const [list, text] of [
      ['bots', 'No bots yet'],
      ['devices', 'No devices yet'],
      ['documents', 'No documents yet'],
      ['webhooks', 'No webhooks yet'],
      ['conversations', 'No conversations yet'],
    ]) {
      await page.goto(`${rig.base}/console/${list}?team=${team.id}`);
      await page.getByText(text ?? '').waitFor();
    }
    await page.goto(`${rig.base}/console/bots?team=${team.id}&name=nothing`);
    await page.getByText('Nothing matches your search').waitFor();
    await rig.api.deleteTeam({ id: team.id });
    assert.deepEqual(problems, []);
    await close();
  });

  it('creates, finds, edits, suspends and deletes a team', async () => {
    const { page, problems, close } = await rig.open('/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByLabel('Name of the team').fill('Harbour Rentals');
    await page.getByLabel('Name of the administrator').fill('Ada');
    await page.getByLabel('Email of the administrator').fill('ada@example');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must match format').or(page.getByText('must be')).first().waitFor();
    await page.getByLabel('Email of the administrator').fill('ada@example.com');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Harbour Rentals', level: 1 }).waitFor();
    await page.getByRole('meter', { name: 'Members' }).waitFor();
    await page.getByRole('tab', { name: 'People' }).click();
    await page.getByRole('row', { name: /Ada.*ada@example\.com.*Owner/ }).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Devices').fill('3');
    await page.getByLabel('Reply delay in seconds').fill('5');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    const { data: teams } = await rig.api.listTeams({ name: 'Harbour' });
    const stored = await rig.api.getTeam({ id: teams[0]?.id ?? '' });
    assert.deepEqual([stored.quotas.accounts, stored.settings.reply_delay_seconds], [3, 5]);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('Suspended', { exact: true }).waitFor();
    assert.equal((await rig.api.getTeam({ id: stored.id })).banned, true);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete team' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete team' });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByRole('dialog').getByRole('textbox').fill('Harbour Rentals');
    await confirm.click();
    await page.getByRole('heading', { name: 'Teams', level: 1 }).waitFor();
    await page.getByLabel('Search by name').fill('Harbour');
    await page.getByText('Nothing matches your search').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('edits a bot with pasted pairs, publishes it and restores a version', async () => {
    const { data: teams } = await rig.api.listTeams();
    const bot = await rig.api.createBot({ team_id: teams[0]?.id ?? '', name: 'Editor test' });
    const { page, problems, close } = await rig.open(`/bots/${bot.id}?tab=questions`);
    await page.getByRole('button', { name: 'Paste or import' }).click();
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .fill('Do you deliver?\tYes, "within" the city.\nIncomplete\nAre dogs allowed?\tOn a leash.');
    await page.getByText('2 pairs found').waitFor();
    await page.getByText('Line 2: there is no answer').waitFor();
    await page.getByRole('button', { name: 'Add to the list' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Contacts get this version from now on').waitFor();
    await page.getByLabel('Answer 2').fill('No dogs.');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Unpublished changes').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Restore as draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore as draft' }).click();
    await page.getByText('The draft was restored').waitFor();
    const { questions } = await rig.api.getBot({ id: bot.id });
    assert.deepEqual(
      questions.map(({ answer }) => answer),
      ['Yes, "within" the city.', 'On a leash.'],
    );
    assert.deepEqual(problems, []);
    await close();
  });

  it('uploads, renames and deletes documents, and shows why a file is refused', async () => {
    const { data: teams } = await rig.api.listTeams();
    const { page, problems, close } = await rig.open(`/documents?team=${teams[0]?.id}`);
    await page.getByLabel('Upload documents').setInputFiles([
      { name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('A day costs 20 euros.') },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no pdf') },
    ]);
    await page.getByRole('cell', { name: 'prices.txt', exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'broken.pdf' }).locator('p.text-danger').waitFor();
    await page.getByRole('button', { name: 'More actions: prices.txt' }).click();
    await page.getByRole('menuitem', { name: 'Show the bots that use it' }).click();
    await page.getByText('With prices.txt').waitFor();
    await page.getByText('Nothing matches your search').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'More actions: prices.txt' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Prices 2027.txt');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'More actions: Prices 2027.txt' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Prices 2027.txt was deleted').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('replaces a document by one that is nearly the same, in its published bot, too', async () => {
    const { team } = await rig.api.createTeam({
      team: { name: 'Prices' },
      user: { name: 'A', email: 'a@example.com' },
    });
    const prices = (year: number, day: number) =>
      `Prices of the harbour rental in ${year}. A city bike costs ${day} euros for a day. A tandem costs twice as much. ` +
      'Children ride for half the price, and a helmet is always included. We open at nine and close at six.';
    const file = new File([prices(2026, 20)], 'prices 2026.txt', { type: 'text/plain' });
    const old = await rig.api.uploadDocument({ team_id: team.id, file });
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Prices', document_ids: [old.id] });
    await rig.api.publishBot({ id: bot.id });
    const { page, problems, close } = await rig.open(`/documents?team=${team.id}`);
    await page
      .getByLabel('Upload documents')
      .setInputFiles([
        { name: 'prices 2027.txt', mimeType: 'text/plain', buffer: Buffer.from(prices(2027, 22)) },
      ]);
    await page.getByText('It is nearly the same as prices 2026.txt').waitFor();
    await page.getByRole('button', { name: 'Replace the old one' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the old one' }).click();
    await page.getByText('prices 2026.txt was replaced').waitFor();
    await page.getByRole('cell', { name: 'prices 2026.txt', exact: true }).waitFor({ state: 'detached' });
    const { documents, published } = await rig.api.getBot({ id: bot.id });
    assert.equal(published, true);
    assert.deepEqual(
      await Promise.all(
        documents.map(async ({ document_id: id }) => (await rig.api.getDocument({ id })).name),
      ),
      ['prices 2027.txt'],
    );
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows a key of one team only its team and no administration', async () => {
    const { data: teams } = await rig.api.listTeams({ name: 'Lumen' });
    await rig.api.createTeam({ team: { name: 'Another team' }, user: { name: 'A', email: 'a@example.com' } });
    const key = await rig.api.createApiKey({ name: 'Team key', scope: 'team', team_id: teams[0]?.id });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const { page, problems, close } = await rig.open('/teams', { token });
    await page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
    assert.equal(await page.getByText('Another team').count(), 0);
    const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const words = ['Home', 'Conversations', 'Bot', 'Phones', 'Documents', 'People', 'Settings'];
    // A badge may follow the word.
    const shown = (await menu.allTextContents()).map((text, place) => text.slice(0, words[place]?.length));
    assert.deepEqual(shown, words);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByLabel('Reply delay in seconds').waitFor();
    assert.equal(await page.getByText('Own quotas').count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  it('adds a person, changes the role and removes the person', async () => {
    const { page, problems, close } = await rig.open('/people', { width: 390 });
    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByLabel('E-mail address').fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Add a person' }).click();
    await page
      .getByRole('dialog', { name: 'Invite Ada' })
      .getByRole('button', { name: 'I have copied it' })
      .click();
    await page.getByRole('row', { name: /Ada.*Support/ }).waitFor();
    await page.getByRole('button', { name: 'More actions: Ada' }).click();
    await page.getByRole('menuitemradio', { name: 'Administrator' }).click();
    await page.getByRole('row', { name: /Ada.*Administrator/ }).waitFor();
    assert.deepEqual(
      (await rig.api.listUsers()).data.map(({ role }) => role),
      ['admin'],
    );
    await page.getByRole('button', { name: 'More actions: Ada' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody is here yet').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('offers a viewer of a team nothing that the role forbids', async () => {
    const { data: teams } = await rig.api.listTeams({ name: 'Lumen' });
    const key = await rig.api.createApiKey({
      name: 'Reader',
      scope: 'team',
      team_id: teams[0]?.id,
      role: 'viewer',
    });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const [bot] = (await rig.api.listBots({ team_id: teams[0]?.id })).data;
    const opened = await rig.open('', { token, width: 390, theme: 'dark' });
    const { page } = opened;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const allowed =
      /^(Open menu|Search|Clear.*|More actions.*|Compare|Copy.*|Next page|Previous page|Account.*|Close)$/;
    const paths = [
      '',
      '/bots',
      '/devices',
      '/documents',
      '/people',
      `/bots/${bot?.id}?tab=questions`,
      '/settings',
    ];
    for (const path of paths) {
      await page.goto(`${rig.base}/console${path}`);
      await waitUntilLoaded(opened);
      const buttons = await page
        .locator('button:visible:not([role])')
        .evaluateAll((found) =>
          found.map((button) => button.getAttribute('aria-label') ?? button.textContent ?? ''),
        );
      assert.deepEqual(
        buttons.filter((name) => !allowed.test(name)),
        [],
        path,
      );
      await assertAccessible(opened, path);
    }
    await page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
    assert.deepEqual(refused, []);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  it('offers to delete a plan only if no team is on it, and leads to its teams', async () => {
    const [terms] = (await rig.api.listPlans()).data;
    assert.ok(terms !== undefined);
    for (const name of ['unused', 'crowded']) await rig.api.putPlan({ ...terms, name });
    const user = { name: 'Ada', email: 'ada@example.com' };
    for (let number = 1; number <= 7; number += 1)
      await rig.api.createTeam({ user, team: { name: `Pier ${number}`, plan_name: 'crowded' } });
    const { page, problems, close } = await rig.open('/plans');
    await page.getByRole('button', { name: 'More actions: crowded' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'crowded is in use' });
    await dialog.getByRole('listitem').filter({ hasText: 'Pier 7' }).waitFor();
    await dialog.getByText('and 2 more').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Delete' }).count(), 0);
    await dialog.getByRole('link', { name: 'Show its teams' }).click();
    await page.getByText('On the plan crowded').waitFor();
    await page.getByRole('link', { name: 'Pier 1', exact: true }).waitFor();
    assert.equal(await page.getByRole('row').count(), 8);
    await page.goBack();
    await page.getByRole('button', { name: 'More actions: unused' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The plan was deleted').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('finds every document of the team for a bot, not only the newest', async () => {
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ user, team: { name: 'Archive', plan_name: 'enterprise' } });
    for (let number = 1; number <= 21; number += 1) {
      const file = new File([`Shelf ${number} is on floor ${number}.`], `shelf ${number}.txt`);
      await rig.api.uploadDocument({ team_id: team.id, file });
    }
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Archivist' });
    const { page, problems, close } = await rig.open(`/bots/${bot.id}?tab=documents`);
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('checkbox', { name: /^shelf 21.txt/ }).check();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('checkbox', { name: /^shelf 1.txt/ }).check();
    await page.getByLabel('Search by name').fill('shelf 3.txt');
    await page.getByRole('checkbox', { name: /^shelf 1.txt/ }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: /^shelf 3.txt/ }).check();
    await page.getByLabel('Search by name').fill('cellar');
    await page.getByText('Nothing matches your search').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    assert.equal((await rig.api.getBot({ id: bot.id })).documents.length, 3);
    assert.deepEqual(problems, []);
    await close();
  });

  it('creates an API key whose secret is shown once', async () => {
    const { page, problems, close } = await rig.open('/api-keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reporting');
    await page.getByLabel('Access').click();
    await page.getByRole('option', { name: 'All teams' }).click();
    const create = await holdNextRequest(page, 'POST', /\/v1\/api-keys$/);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await create.held;
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await create.release();
    await page.getByText('Copy the secret now').waitFor();
    await page.mouse.click(5, 5);
    assert.match(await page.getByRole('dialog').innerText(), /sk_\w{20,}/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Reporting').waitFor();
    assert.doesNotMatch(await page.content(), /sk_\w{20,}/);
    assert.deepEqual(problems, []);
    await close();
  });

  it('says that a list is old while reading it again fails', async () => {
    const { page, problems, close } = await rig.open('/pools');
    const pool = page.getByRole('meter');
    await pool.waitFor();
    await page.route(/\/v1\/pools/, (route) => route.abort());
    await page.getByText('Not up to date: the last update failed').waitFor({ timeout: 60_000 });
    await pool.waitFor();
    await page.unroute(/\/v1\/pools/);
    await page.getByText('Not up to date').waitFor({ state: 'detached', timeout: 60_000 });
    assert.deepEqual(problems, []);
    await close();
  });

  it('says on the home page that the figures are old when the service does not respond', async () => {
    // Without a team, the page shows the first steps instead of figures.
    await rig.api.createTeam({
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'Harbour', plan_name: 'pro' },
    });
    const { page, close } = await rig.open('');
    await Promise.all([page.waitForResponse(/\/v1\/events\?/), page.reload()]);
    await page.getByText('Live', { exact: true }).waitFor();
    rig.signal('SIGSTOP');
    try {
      await page.getByText('Not up to date').waitFor({ timeout: 60_000 });
    } finally {
      rig.signal('SIGCONT');
    }
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 });
    await close();
  });
});
