import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig } from './rig.ts';

const password = 'four random words';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('people of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  /** Adds a person on the page People, and returns the path of the invitation. */
  async function invite({ page }: ConsolePage, name: string, role: string): Promise<string> {
    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('E-mail address').fill(`${name.toLowerCase()}@example.com`);
    await dialog.getByRole('combobox').click();
    await page.getByRole('option', { name: role }).click();
    await dialog.getByRole('button', { name: 'Add a person' }).click();
    const link = await page
      .getByRole('dialog', { name: `Invite ${name}` })
      .locator('code')
      .textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: new RegExp(`${name}.*${role}`) }).waitFor();
    return pathOf(link ?? '');
  }

  const pathOf = (link: string): string => {
    const { pathname, hash } = new URL(link);
    return pathname.slice('/console'.length) + hash;
  };

  /** Accepts an invitation in a window of its own. */
  async function accept(path: string, place: string): Promise<ConsolePage> {
    const opened = await rig.open(path, { token: null, width: 390 });
    const { page } = opened;
    await page.getByRole('heading', { name: `Welcome to ${place}` }).waitFor();
    await page.getByLabel('New password').fill(password);
    await assertAccessible(opened, 'the invitation');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    return opened;
  }

  const menuOf = async ({ page }: ConsolePage): Promise<string[]> => {
    await page.getByRole('button', { name: 'Open menu' }).click();
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await links.first().waitFor();
    const names = await links.allTextContents();
    await page.keyboard.press('Escape');
    return names;
  };

  it('leads from the first link to an agent of a bakery, who loses access when removed', async () => {
    const text = await readFile(join(rig.dataDir, 'first-sign-in.txt'), 'utf8');
    const link = /https?:\S+#\S+/.exec(text)?.[0] ?? '';
    const partner = await rig.open(pathOf(link), { token: null });
    const { page } = partner;
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('New password').fill(password);
    await assertAccessible(partner, 'the set-up');
    await page.getByRole('button', { name: 'Create my account' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const used = await rig.open(pathOf(link), { token: null });
    await used.page.getByLabel('Your name').fill('Eve');
    await used.page.getByLabel('E-mail address').fill('eve@example.com');
    await used.page.getByLabel('New password').fill(password);
    await used.page.getByRole('button', { name: 'Create my account' }).click();
    await used.page.getByText('This link does not work any more').waitFor();
    await used.close();

    const user = { name: 'Bea', email: 'bea@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Bakery' }, user });
    await page.goto(`${rig.base}/console/teams/${team.id}?tab=people`);
    await page.getByRole('button', { name: 'More actions: Bea' }).click();
    await page.getByRole('menuitem', { name: 'New invitation link' }).click();
    const code = page.getByRole('dialog', { name: 'Invite Bea' }).locator('code');
    const owner = await accept(pathOf((await code.textContent()) ?? ''), 'Bakery');
    const words = ['Home', 'Conversations', 'Bot', 'Phones', 'Documents', 'People', 'Settings'];
    assert.deepEqual(await menuOf(owner), words);

    await owner.page.goto(`${rig.base}/console/people`);
    const agent = await accept(await invite(owner, 'Cy', 'Agent'), 'Bakery');
    assert.deepEqual(await menuOf(agent), words.slice(0, -1));
    await agent.page.goto(`${rig.base}/console/settings`);
    await agent.page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
    await agent.page.goto(`${rig.base}/console/account`);
    await agent.page.getByText('This session').waitFor();
    await assertAccessible(agent, 'the account');

    await owner.page.getByRole('button', { name: 'More actions: Cy' }).click();
    await owner.page.getByRole('menuitem', { name: 'Remove' }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await agent.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await agent.page.getByLabel('Password', { exact: true }).fill(password);
    await agent.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await agent.page.getByText('do not belong together').waitFor();

    await page.goto(`${rig.base}/console/audit-log`);
    await page.getByRole('cell', { name: 'Bea' }).first().waitFor();
    for (const { problems, close } of [partner, owner, agent]) {
      assert.deepEqual(problems, []);
      await close();
    }
  });

  it('takes a picture of a person for visitors of a website, and removes it', async () => {
    const user = { name: 'Mia', email: 'mia@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Quay' }, user });
    const opened = await rig.open(`/teams/${team.id}?tab=people`);
    const { page, problems } = opened;
    const hasPicture = async () => (await rig.api.listTeamMembers({ id: team.id })).data[0]?.has_picture;
    await page.getByRole('button', { name: /: Mia$/ }).click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Picture for visitors of a website…' }).click();
    await (await choosing).setFiles({ name: 'mia.png', mimeType: 'image/png', buffer: png });
    await page.getByText('The picture of Mia is changed').waitFor();
    assert.equal(await hasPicture(), true);
    await page.getByRole('button', { name: /: Mia$/ }).click();
    await assertAccessible(opened, 'the menu of a person');
    await page.getByRole('menuitem', { name: 'Remove the picture' }).click();
    await eventually(async () => assert.equal(await hasPicture(), false));
    assert.deepEqual(problems, []);
    await opened.close();
  });

  it('signs in with a password, and out', async () => {
    const opened = await rig.open('/plans', { token: null, theme: 'dark', width: 360 });
    const { page } = opened;
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('do not belong together').waitFor();
    await assertAccessible(opened, 'the sign-in page');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('dialog').getByTitle('Account and appearance').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Password', { exact: true }).waitFor();
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
});
