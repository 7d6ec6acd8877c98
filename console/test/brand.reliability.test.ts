import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig, takePicture } from './rig.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const logo = `data:image/png;base64,${png.toString('base64')}`;
const crumb = { name: 'Crumb', color: '#ffee00', sender_name: 'Crumb Desk', logo };

describe('the brand of a team', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  let teamId: string;

  before(async () => {
    rig = await startRig();
    const { team } = await rig.api.createTeam({
      team: { name: 'Bakery', plan_name: 'pro' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    teamId = team.id;
  });
  after(() => rig.close());

  const icon = ({ page }: ConsolePage) => page.locator('link[rel="icon"]').getAttribute('href');
  const accent = ({ page }: ConsolePage) =>
    page.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--accent").trim()');
  const assertShown = async (opened: ConsolePage, what: string) => {
    await eventually(async () => assert.match(await opened.page.title(), /Crumb/), 30_000);
    assert.deepEqual([await icon(opened), await accent(opened)], [logo, '#ffee00'], what);
    await assertAccessible(opened, what);
    assert.deepEqual(opened.problems, [], what);
  };

  it('is edited in the settings of the team, and not by those who may not', async () => {
    const opened = await rig.open(`/teams/${teamId}?tab=settings`);
    const { page } = opened;
    await page.getByLabel('Name of the brand').fill('Crumb');
    await page.getByLabel('Sender of mails').fill('Crumb Desk');
    await page.getByLabel('Colour', { exact: true }).fill('yellow');
    await page.getByLabel('Choose a picture').setInputFiles({
      name: 'big.png',
      mimeType: 'image/png',
      buffer: Buffer.alloc(256 * 1024 + 1),
    });
    await page.getByRole('alert').getByText('The picture is larger than 256 KiB.').waitFor();
    await page
      .getByLabel('Choose a picture')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('img', { name: 'Logo' }).waitFor();
    const save = page.getByRole('button', { name: 'Save the brand' });
    await save.click();
    await page.getByText('must be # and six hexadecimal digits').waitFor();
    await page.getByLabel('Colour', { exact: true }).fill('#FFEE00');
    await assertAccessible(opened, 'the editor of the brand');
    await takePicture(opened, 'brand-editor');
    await save.click();
    await eventually(async () => {
      const { name, color, sender_name, logo } = await rig.api.getBrand({ id: teamId });
      assert.deepEqual({ name, color, sender_name, logo }, crumb);
    });
    assert.doesNotMatch(await page.title(), /Crumb/, 'the partner keeps its own brand');
    await opened.close();
    const { key_id, key_secret } = await rig.api.createApiKey({
      name: 'Editor',
      scope: 'team',
      team_id: teamId,
      role: 'editor',
    });
    const token = await createParley({ baseUrl: rig.base, key: { key_id, key_secret } }).getToken();
    const editor = await rig.open('/settings', { token });
    await editor.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    assert.equal(await editor.page.getByLabel('Name of the brand').count(), 0);
    await editor.close();
  });

  for (const theme of ['light', 'dark'] as const)
    it(`is in the portal and its tab, in the ${theme} theme`, async () => {
      await rig.api.putBrand({ id: teamId, ...crumb });
      const { url } = await rig.api.createPortalLink({ team_id: teamId, role: 'editor' });
      const { pathname, hash } = new URL(url);
      const opened = await rig.open(`${pathname.slice('/console'.length)}${hash}`, { token: null, theme });
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      await assertShown(opened, 'the portal');
      await takePicture(opened, `brand-portal-${theme}`);
      await opened.close();
    });

  it('is on the page of a link that links a phone, and on an invitation', async () => {
    await rig.api.putBrand({ id: teamId, ...crumb });
    const bot = await rig.api.createBot({ team_id: teamId, name: 'Till' });
    const device = await rig.api.createDevice({ team_id: teamId, bot_id: bot.id, name: 'Desk' });
    const link = await rig.api.createDeviceLink({ id: device.id });
    const member = { id: teamId, name: 'Noor', email: 'noor@example.com', role: 'agent' as const };
    const { invitation_url } = await rig.api.createTeamMember(member);
    for (const address of [link.url, invitation_url]) {
      const { pathname, hash } = new URL(address);
      const opened = await rig.open(`${pathname.slice('/console'.length)}${hash}`, { token: null });
      await assertShown(opened, pathname);
      await takePicture(opened, `brand${pathname.replaceAll('/', '-')}`);
      await opened.close();
    }
  });

  it('is on the sign-in page of its host, and of no other', async () => {
    await rig.api.putBrand({ id: teamId, ...crumb });
    await rig.api.putHost({ name: 'bakery.localhost', team_id: teamId });
    const opened = await rig.open('', { token: null });
    const { page } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.doesNotMatch(await page.content(), /Crumb/);
    const at = new URL('/console', rig.base);
    at.hostname = 'bakery.localhost';
    await page.goto(at.href);
    await page.getByRole('heading', { name: /Crumb/ }).waitFor();
    assert.match(await page.title(), /Crumb/);
    assert.equal(await accent(opened), '#ffee00');
    const drawn = await page.evaluate(`fetch('${await icon(opened)}').then((response) => response.text())`);
    assert.match(String(drawn), /<title>Crumb<\/title><image/);
    await assertAccessible(opened, 'the sign-in page of a host');
    await takePicture(opened, 'brand-host');
    at.hostname = 'rival.localhost';
    await page.goto(at.href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.doesNotMatch(await page.content(), /Crumb/);
    await opened.close();
  });
});
