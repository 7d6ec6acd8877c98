import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startWebhookReceiver } from '../../server/test/webhook-receiver.ts';
import { addLinkedDevice, assertAccessible, type Rig, startRig, write } from './rig.ts';

/** A folder for pictures of the page. */
const pictures = process.env['SCREENSHOT_DIR'];

const receiver = await startWebhookReceiver();

describe('the home page of the console', { skip: noChromium, timeout: 180_000 }, () => {
  let rig: Rig;
  let deviceId: string;
  before(async () => {
    rig = await startRig({ WEBHOOK_ALLOWED_HOSTS: receiver.host });
    const { team } = await rig.api.createTeam({
      team: { name: 'Lumen Bikes', quotas: { bots: 1 } },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    await rig.api.updateTeam({ id: team.id, settings: { reply_delay_seconds: 0 } });
    const questions = [{ question: 'Do you lend helmets?', answer: 'Yes, with every bike.' }];
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Lumen', questions });
    await rig.api.publishBot({ id: bot.id });
    const input = { team_id: team.id, bot_id: bot.id, name: 'Front desk' };
    deviceId = (await addLinkedDevice(rig, input, '+15550100')).id;
    await receiver.set({ path: '/broken', status: 500 });
    const url = receiver.url('/broken');
    const webhook = await rig.api.createWebhook({ url, events: ['team.updated'] });
    await rig.api.updateTeam({ id: team.id, name: 'Lumen Bikes Rental' });
    await eventually(async () =>
      assert.notEqual((await rig.api.getWebhook({ id: webhook.id })).failing_since, null),
    );
  });
  after(() => rig.close());

  it('counts messages live and lists what needs attention, with links', async () => {
    const { page, problems, close } = await rig.open('');
    await page.getByText('From contacts: 0', { exact: true }).waitFor();
    await write(rig, { from: '+15550199', to: '+15550100', text: 'Do you lend helmets?' });
    await page.getByText('From contacts: 1', { exact: true }).waitFor();
    await page.getByText('Answers of bots: 1', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Answers of bots: 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Lumen Bikes Rental: Bots used up' }).waitFor();
    await rig.api.stopDevice({ id: deviceId });
    await page.getByText('of 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'A webhook is failing' }).click();
    await page.getByText('Every attempt has failed since').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('has no accessibility problem, in both themes, wide and narrow', async () => {
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const) {
      const opened = await rig.open('', { theme, width });
      await opened.page.getByText('From contacts: 1', { exact: true }).waitFor();
      await opened.page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      if (pictures !== undefined) {
        await mkdir(pictures, { recursive: true });
        await opened.page.screenshot({ path: `${pictures}/home-${theme}-${width}.png`, fullPage: true });
      }
      await assertAccessible(opened, `home ${theme} ${width}`);
      assert.deepEqual(opened.problems, []);
      await opened.close();
    }
  });
});
