import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig, takePicture } from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">';

describe('the audit log of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let otherId: string;
  before(async () => {
    rig = await startRig();
    const user = { name: 'Ada', email: 'ada@example.com' };
    teamId = (await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user })).team.id;
    otherId = (await rig.api.createTeam({ team: { name: 'Harbour Rentals' }, user })).team.id;
    for (let seconds = 1; seconds <= 25; seconds += 1)
      await rig.api.updateTeam({ id: teamId, settings: { reply_delay_seconds: seconds } });
    const bot = await rig.api.createBot({ team_id: teamId, name: 'Lumen' });
    await rig.api.updateBot({ id: bot.id, name: payload });
  });
  after(() => rig.close());

  async function show(opened: ConsolePage, name: string): Promise<void> {
    await opened.page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await takePicture(opened, name);
    await assertAccessible(opened, name);
    assert.deepEqual(opened.problems, [], name);
  }

  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 360],
  ] as const) {
    it(`lists changes and shows one, in ${theme} at ${width} pixels`, async () => {
      const opened = await rig.open('/audit-log', { theme, width });
      const { page } = opened;
      await page.getByRole('button', { name: 'Details of Bot: changed' }).waitFor();
      await show(opened, `audit-log-${theme}-${width}`);
      await page.getByRole('button', { name: 'Details of Bot: changed' }).click();
      await page.getByRole('dialog').getByRole('region', { name: 'After' }).getByText('<img src=x').waitFor();
      await show(opened, `audit-entry-${theme}-${width}`);
      assert.equal(await page.evaluate('window.injected'), undefined);
      await opened.close();
    });
  }

  it('filters and pages, with an address for each view', async () => {
    const { page, problems, close } = await rig.open(`/audit-log?team=${teamId}`);
    await page.getByLabel('Operation, such as updateTeam').fill('updateTeam');
    await page.waitForURL(/operation=updateTeam/);
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.locator('tbody tr').nth(12).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    await page.waitForURL(/operation=updateTeam/);
    const tomorrow = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(tomorrow);
    await page.getByText('Nothing matches your search').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Details of Bot: changed' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('says that a link page was used, which has no key', async () => {
    const bot = await rig.api.createBot({ team_id: otherId, name: 'Pier' });
    await rig.api.publishBot({ id: bot.id });
    const device = await rig.api.createDevice({ team_id: otherId, bot_id: bot.id, name: 'Pier phone' });
    const { url } = await rig.api.createDeviceLink({ id: device.id });
    const body = { token: new URL(url).hash.slice(1) };
    await rig.api.request({ method: 'POST', path: '/api/openapi/link/connect', body });
    const { page, problems, close } = await rig.open('/audit-log?operation=connectLink');
    await page.getByRole('cell', { name: 'Link page (no login)' }).first().waitFor();
    assert.equal(await page.getByText('Parley itself').count(), 0);
    await page.getByRole('button', { name: 'Details of Phone, on its link page: connected' }).first().click();
    await page.getByRole('dialog').getByText('Link page (no login)').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows a key of one team only changes in its team', async () => {
    const key = await rig.api.createApiKey({ name: 'Team key', scope: 'team', team_id: teamId });
    const { access_token: token } = await rig.api.request<{ access_token: string }>({
      method: 'POST',
      path: '/api/openapi/auth/token',
      body: { key_id: key.key_id, key_secret: key.key_secret },
    });
    const { page, problems, close } = await rig.open('/audit-log', { token });
    await page.getByRole('button', { name: 'Details of Bot: changed' }).waitFor();
    assert.equal(await page.getByText(otherId).count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });
});
