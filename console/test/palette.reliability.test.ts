import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import {
  addLinkedDevice,
  addTeamWithBot,
  assertAccessible,
  assertFits,
  type Rig,
  startRig,
  takePicture,
  write,
} from './rig.ts';

describe('the command palette', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;

  before(async () => {
    rig = await startRig();
    ({ teamId, botId } = await addTeamWithBot(rig));
    await addLinkedDevice(rig, { team_id: teamId, bot_id: botId, name: 'Pier' }, '+15550260');
    await write(rig, { from: '+15550261', to: '+15550260', text: 'Do you take vouchers?' });
    await write(rig, { from: '+15550262', to: '+15550260', text: 'Good morning' });
  });
  after(() => rig.close());

  it('leads to pages, conversations and actions of the page with the keyboard alone', async () => {
    const opened = await rig.open('/');
    const { page, problems, close } = opened;
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const scripts: string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /palette/.test(name))",
    );
    assert.deepEqual(scripts, [], 'it loads when it is opened');

    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Go to or do' });
    const search = dialog.getByRole('combobox');
    await eventually(async () => assert.ok(await search.evaluate((element) => element.matches(':focus'))));
    await assertAccessible(opened, 'the palette');
    await takePicture(opened, 'palette');
    await page.keyboard.type('keys');
    await dialog.getByRole('option', { name: 'API keys', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Meta+k');
    await search.fill('new api key');
    await dialog.getByRole('group', { name: 'On this page' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    const created = page.getByRole('dialog');
    await dialog.waitFor({ state: 'detached' });
    await created.getByLabel('Name').waitFor();
    await page.keyboard.press('Control+k');
    assert.equal(await dialog.count(), 0, 'it does not cover another dialog');
    await page.keyboard.press('Escape');
    await created.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await search.fill('vouchers');
    const found = dialog.getByRole('group', { name: 'Conversations' });
    await found.getByRole('option', { name: /^\+15550261/ }).waitFor();
    assert.equal(await found.getByRole('option').count(), 2, 'one conversation, and all of them');
    await page.keyboard.press('ArrowDown');
    await dialog.getByRole('option', { name: 'All conversations with “vouchers”', selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    const active = await search.getAttribute('aria-activedescendant');
    assert.equal(
      await dialog.getByRole('option', { selected: true }).getAttribute('id'),
      active,
      'screen readers follow the choice',
    );
    await assertAccessible(opened, 'the palette with conversations');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '+15550261', level: 1 }).waitFor();

    await page.keyboard.press('Control+k');
    await search.fill('pause');
    await dialog.getByRole('option', { name: 'Pause the bot' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The bot is paused until someone resumes it').waitFor();

    await page.goto(`${rig.base}/console/bots/${botId}`);
    await page.getByRole('button', { name: 'Publish' }).waitFor();
    await page.keyboard.press('Control+k');
    await search.fill('publish');
    await dialog.getByRole('option', { name: 'Publish', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Published. Contacts get this').waitFor();
    await page.keyboard.press('Control+k');
    await search.fill('no result for this');
    await dialog.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await close();
  });

  it('opens by touch on a phone, and shows a team only its own pages', async () => {
    const key = await rig.api.createApiKey({ name: 'Team', scope: 'team', team_id: teamId, role: 'viewer' });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const opened = await rig.open('/', { token, width: 360, theme: 'dark' });
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: 'Search' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go to or do' });
    await dialog.getByRole('option', { name: 'Contacts' }).waitFor();
    assert.equal(await dialog.getByRole('option', { name: 'Plans' }).count(), 0);
    await assertAccessible(opened, 'the palette on a phone');
    await assertFits(opened, 'the palette on a phone');
    await takePicture(opened, 'palette-360');
    await dialog.getByRole('option', { name: 'Contacts' }).click();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });
});
