import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Request } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startWebhookReceiver } from '../../server/test/webhook-receiver.ts';
import {
  addLinkedDevice,
  assertAccessible,
  holdNextRequest,
  type Rig,
  startRig,
  takePicture,
  write,
} from './rig.ts';

const receiver = await startWebhookReceiver();

describe('the home page of the console', { skip: noChromium, timeout: 900_000 }, () => {
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
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Lumen', questions, allow_human: true });
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
    await page.getByRole('link', { name: /^Devices connected\s*1\s*of 1$/ }).waitFor();
    await rig.api.stopDevice({ id: deviceId });
    await page.getByRole('link', { name: /^Devices connected\s*0\s*of 1$/ }).waitFor();
    await page.getByRole('link', { name: 'A webhook is failing' }).click();
    await page.getByText('Every attempt has failed since').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows who waits for a person in the list, in the menu and in the title of the tab', async () => {
    const { page, problems, close } = await rig.open('/plans');
    await page.getByRole('link', { name: 'Webhooks 1 need attention' }).waitFor();
    await rig.api.connectDevice({ id: deviceId });
    await eventually(async () => assert.equal((await rig.api.getDevice({ id: deviceId })).connected, true));
    await write(rig, { from: '+15550177', to: '+15550100', text: 'I want to talk to a human' });
    await page.getByRole('link', { name: 'Conversations 1 need attention' }).waitFor();
    await page.waitForFunction("document.title.startsWith('(1) Plans')");
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: '+15550177 asks for a person' }).click();
    await page.getByText('The contact asked for a person.').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('finishes reading the figures although events keep arriving', async () => {
    const { page, close } = await rig.open('');
    const cancelled: string[] = [];
    page.on('requestfailed', (request) => cancelled.push(request.url()));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Bots\s*1$/ }).waitFor();
    const teams = await holdNextRequest(page, 'GET', /\/v1\/teams\?/);
    for (const name of ['Harbour', 'Station']) {
      // The last hours of the chart are read at the same time as the figures.
      const refreshed = page.waitForRequest(/\/v1\/activity\?hours=2/);
      await rig.api.createTeam({ team: { name }, user: { name: 'Ada', email: 'ada@example.com' } });
      await refreshed;
    }
    await teams.release();
    await page.getByRole('link', { name: /^Teams\s*3$/ }).waitFor();
    assert.deepEqual(cancelled, []);
    await close();
  });

  it('keeps no connection for events while its tab is hidden', async () => {
    const { page, close } = await rig.open('');
    const setVisibility = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`,
      );
    await page.getByText('Live', { exact: true }).waitFor();
    const isStream = (request: Request) => request.url().includes('/v1/events?');
    const closed = page.waitForEvent('requestfailed', isStream);
    await setVisibility('hidden');
    await closed;
    const teamCount = async () => (await rig.api.listTeams({ limit: 1 })).meta.total;
    await rig.api.createTeam({
      team: { name: 'Unseen' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    const reopened = page.waitForRequest(isStream);
    await setVisibility('visible');
    await reopened;
    await page.getByRole('link', { name: new RegExp(`^Teams\\s*${await teamCount()}$`) }).waitFor();
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
      await opened.page.getByText('From contacts: 2', { exact: true }).waitFor();
      await opened.page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      await takePicture(opened, `home-${theme}-${width}`);
      await assertAccessible(opened, `home ${theme} ${width}`);
      assert.deepEqual(opened.problems, []);
      await opened.close();
    }
  });
});
