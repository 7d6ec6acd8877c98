import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { addLinkedDevice, assertAccessible, type Rig, scan, startRig, takePicture, write } from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">';
const contact = '+15550199';
const renewedCode = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

/** Holds the next page of earlier messages after the service has sent it. */
async function holdEarlierMessages(page: Page): Promise<{ held: Promise<void>; release: () => void }> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(
    /\/messages\?.*after=/,
    async (route) => {
      const response = await route.fetch();
      held.resolve();
      await released.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return { held: held.promise, release: () => released.resolve() };
}

interface Place {
  /** The number and the offset of the chosen row, or of the first visible one. */
  first: number;
  top: number;
  /** Pixels to scroll until the ends of the loaded messages. */
  above: number;
  below: number;
}

const placeOf = (page: Page, row?: number): Promise<Place> =>
  page.getByRole('region', { name: /^Messages with/ }).evaluate((thread, chosen) => {
    const { top } = thread.getBoundingClientRect();
    const rows = [...thread.querySelectorAll('[aria-posinset]')].map((each) => ({
      first: Number(each.getAttribute('aria-posinset')),
      top: each.getBoundingClientRect().top - top,
      bottom: each.getBoundingClientRect().bottom - top,
    }));
    const shown = rows.find((each) => (chosen === undefined ? each.bottom > 0 : each.first === chosen));
    return {
      first: shown?.first ?? 0,
      top: shown?.top ?? 0,
      above: Math.floor(thread.scrollHeight - thread.clientHeight + thread.scrollTop),
      below: Math.floor(Math.abs(thread.scrollTop)),
    };
  }, row);

describe('devices, the link page and conversations', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;

  before(async () => {
    rig = await startRig();
    const { team } = await rig.api.createTeam({
      team: { name: 'Lumen Bikes' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    teamId = team.id;
    await rig.api.updateTeam({ id: teamId, settings: { reply_delay_seconds: 0 } });
    const questions = [
      { question: 'Do you lend helmets?', answer: 'Yes, a helmet is included with every bike.' },
    ];
    botId = (await rig.api.createBot({ team_id: teamId, name: 'Lumen', questions })).id;
    await rig.api.publishBot({ id: botId });
  });
  after(() => rig.close());

  it('creates a device, links a simulated phone, stops, unlinks and deletes it', async () => {
    const opened = await rig.open('/devices');
    const { page, problems, close } = opened;
    await page.getByText('No devices yet').waitFor();
    await takePicture(opened, 'devices-empty');
    await page.getByRole('button', { name: 'New device' }).click();
    await page.getByRole('dialog').getByRole('combobox').first().fill('Lumen');
    await page.getByRole('option', { name: 'Lumen Bikes' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Front desk');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Connect' }).click();
    const code = page.getByRole('img', { name: 'QR code that links a phone' });
    await code.waitFor();
    await assertAccessible(opened, 'a QR code');
    await takePicture(opened, 'device-qr');
    // The network shows the first code for a minute, so the test replaces it in one response.
    await page.route(
      /\/devices\/[^/]+\/status$/,
      async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = await response.json();
        await route.fulfill({ response, json: { ...rest, data: { ...data, qr_code: renewedCode } } });
      },
      { times: 1 },
    );
    await page.locator(`img[src="${renewedCode}"]`).waitFor();
    await page.locator(`img[src="${renewedCode}"]`).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Scan with a simulated phone' }).click();
    await page.getByText('Connected as').waitFor();
    await takePicture(opened, 'device-connected');

    await page.getByRole('button', { name: 'More actions' }).click();
    assert.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0, 'the API refuses it');
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    await page.getByText('The phone stays linked').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The device is stopped').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Unlink the phone' }).click();
    await page.getByText('someone must scan a new QR code').waitFor();
    await assertAccessible(opened, 'the question before unlinking');
    await takePicture(opened, 'device-unlink');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink the phone' }).click();
    await page.getByText('No phone linked').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Front desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No devices yet').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('offers nothing that the API refuses for a suspended team and a bot in use', async () => {
    const { team } = await rig.api.createTeam({
      team: { name: 'Harbour Bikes' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    const actions = [{ name: 'Order status', description: '', endpoint: 'https://example.com/' }];
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Harbour', actions });
    const { id } = await rig.api.createDevice({ team_id: team.id, bot_id: bot.id, name: 'Pier' });
    await rig.api.updateTeam({ id: team.id, banned: true });
    const { page, problems, close } = await rig.open(`/devices/${id}`);
    await page.getByText('until the suspension of the team is lifted').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Connect' }).count(), 0, 'the API refuses it');
    await page.getByRole('link', { name: 'Harbour', exact: true }).click();
    await page.getByText('The team is suspended, so its bots do not answer').waitFor();
    assert.equal(await page.getByLabel('Ask a question').isDisabled(), true);
    await page.getByRole('tab', { name: 'Actions' }).click();
    assert.equal(await page.getByRole('button', { name: 'Try it: Order status' }).isDisabled(), true);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Harbour is in use' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete bot' }).count(), 0, 'the API refuses it');
    await page.getByRole('link', { name: 'Show its devices' }).click();
    await page.getByText('Bot: Harbour').waitFor();
    await page.getByRole('link', { name: 'Pier' }).waitFor();

    await rig.api.updateTeam({ id: team.id, banned: false });
    await page.goto(`${rig.base}/console/devices/${id}`);
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
    await rig.api.deleteTeam({ id: team.id });
  });

  it('says what the network refuses for a time', async () => {
    const input = { team_id: teamId, bot_id: botId, name: 'Restricted' };
    const { id } = await addLinkedDevice(rig, input, '+15550103');
    const inject = (fault: string) =>
      rig.api.request({
        method: 'POST',
        path: '/simulator/faults',
        body: { device: '+15550103', fault, ms: 600_000 },
      });
    await inject('restrict');
    // The network says so when it refuses a message.
    await assert.rejects(
      rig.api.sendMessage({ device_id: id, destination_number: '+15550990', message: 'Hello' }),
    );
    const opened = await rig.open(`/devices/${id}`);
    const { page, problems, close } = opened;
    await page.getByText(/refuses messages to people who never wrote to this number, until/).waitFor();
    await inject('suspended');
    await page.getByText(/The network keeps this account offline, until/).waitFor();
    await page.getByRole('status').getByText('The network suspended the account for a time').waitFor();
    await assertAccessible(opened, 'a suspended device');
    await takePicture(opened, 'device-suspended');
    assert.deepEqual(problems, []);
    await close();
    await rig.api.stopDevice({ id });
    await rig.api.deleteDevice({ id });
  });

  it('lets a person without a login link a phone, once', async () => {
    const { id } = await rig.api.createDevice({ team_id: teamId, bot_id: botId, name: payload });
    const opened = await rig.open(`/devices/${id}`);
    await opened.page.getByRole('button', { name: 'Send a link' }).click();
    const address = (await opened.page.getByRole('dialog').locator('code').innerText()).trim();
    await assertAccessible(opened, 'the link');
    await takePicture(opened, 'device-link');
    assert.deepEqual(opened.problems, []);
    await opened.close();

    const guest = await rig.open(address.slice(`${rig.base}/console`.length), { token: null, width: 390 });
    await guest.page.getByRole('button', { name: 'Show the QR code' }).waitFor();
    await assertAccessible(guest, 'the link page before the start');
    await takePicture(guest, 'link-start-390');
    await guest.page.getByRole('button', { name: 'Show the QR code' }).click();
    await guest.page.getByRole('img', { name: 'QR code that links your phone' }).waitFor();
    await assertAccessible(guest, 'the link page with the code');
    await takePicture(guest, 'link-scan-390');
    await scan(rig, id, '+15550777');
    await guest.page.getByText('Your phone is linked').waitFor();
    await assertAccessible(guest, 'the link page at the end');
    assert.equal(await guest.page.evaluate('window.injected'), undefined);
    assert.deepEqual(guest.problems, []);
    await guest.close();

    const late = await rig.open('/link#invented', { token: null, theme: 'dark' });
    await late.page.getByText('This link is no longer valid').waitFor();
    await assertAccessible(late, 'an invalid link');
    await takePicture(late, 'link-expired-dark');
    await late.close();
  });

  it('shows a conversation with its sources, and lets a person take over', async () => {
    const device = await addLinkedDevice(
      rig,
      { team_id: teamId, bot_id: botId, name: 'Reception' },
      '+15550100',
    );
    await write(rig, { from: contact, to: '+15550100', text: 'Do you lend helmets?' });
    const opened = await rig.open('/conversations');
    const { page, problems, close } = opened;
    await page.getByRole('link', { name: contact }).click();
    const thread = page.getByRole('region', { name: /^Messages with/ });
    await thread.getByText('a helmet is included').waitFor();
    await thread.getByRole('button', { name: 'Sources' }).click();
    await thread.getByText('Question and answer pair').waitFor();
    await assertAccessible(opened, 'a thread with sources');
    await takePicture(opened, 'conversation');

    await page.getByLabel('Answer as a person').fill('Would you like one for a child?');
    await page.getByLabel('Answer as a person').press('Enter');
    await thread.getByText('Would you like one for a child?').waitFor();
    await page.getByText(/The bot is paused until/).waitFor();
    await write(rig, { from: contact, to: '+15550100', text: payload });
    await thread.getByText('No answer: the bot was paused').waitFor();
    await takePicture(opened, 'conversation-paused');
    await page.getByRole('button', { name: 'Resume the bot' }).click();
    await page.getByRole('button', { name: 'Pause the bot' }).waitFor();
    assert.equal(await page.evaluate('window.injected'), undefined);

    await page.getByText('Has not decided about active messages').waitFor();
    await page.getByRole('button', { name: 'Record a decision' }).click();
    await page.getByLabel('Reason or proof').fill('Said so on the telephone');
    await takePicture(opened, 'consent');
    await assertAccessible(opened, 'a decision of the contact');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/^Wants no active messages · since .*in the console, Said so/).waitFor();
    const [consent] = await rig.api.getConsents({ number: contact, team_id: teamId });
    assert.deepEqual([consent?.state, consent?.source], ['out', 'console']);

    await write(rig, { from: '+15550198', to: '+15550100', text: 'Do you lend helmets?' });
    const contacts = page.getByRole('link', { name: /^\+1555019/ });
    await page.getByRole('link', { name: '+15550198' }).waitFor();
    await write(rig, { from: contact, to: '+15550100', text: 'And locks?' });
    await eventually(async () =>
      assert.match(await contacts.first().innerText(), /^\+15550199/, 'the last to write comes first'),
    );

    await page.getByLabel('Search words or numbers').fill('+1 555 0199');
    await page.getByRole('link', { name: contact }).waitFor();
    await page.getByLabel('Search words or numbers').fill('999');
    await page.getByText('Nothing matches your search').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await rig.api.stopDevice({ id: device.id });
    await page.getByText('You can answer when the device is connected').waitFor();
    assert.equal(await page.getByLabel('Answer as a person').count(), 0, 'the API refuses it');
    assert.deepEqual(problems, []);
    await close();
  });

  describe('a thread with more messages than one page', () => {
    let id: string;
    let total: number;
    const threadOf = (page: Page) => page.getByRole('region', { name: /^Messages with/ });
    const messageOf = (page: Page, position: number) =>
      threadOf(page).locator(`[aria-posinset="${position}"]`);
    const say = (text: string) => write(rig, { from: contact, to: '+15550101', text });

    before(async () => {
      const input = { team_id: teamId, bot_id: botId, name: 'Archive' };
      const device = await addLinkedDevice(rig, input, '+15550101');
      await say('Do you lend helmets?');
      id = await eventually(async () => {
        const [conversation] = (await rig.api.listConversations({ device_id: device.id })).data;
        assert.ok(conversation);
        const { meta } = await rig.api.listConversationMessages({ id: conversation.id });
        assert.equal(meta.total, 2);
        return conversation.id;
      });
      await rig.api.pauseConversation({ id });
      for (let number = 1; number <= 120; number += 1) await say(`Long thread ${number}`);
      await eventually(async () => {
        const { data, meta } = await rig.api.listConversationMessages({ id, limit: 1 });
        assert.equal(data[0]?.text, 'Long thread 120');
        total = meta.total;
      });
    });

    it('renders only the rows near the visible ones, and reaches both ends while it loads earlier ones', async () => {
      const opened = await rig.open(`/conversations/${id}`);
      const { page, problems, close } = opened;
      const thread = threadOf(page);
      await messageOf(page, total).getByText('Long thread 120').waitFor();
      await assertAccessible(opened, 'a long thread');
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await thread.focus();
      for (let loaded = 50; loaded < total; loaded += 50) {
        const earlier = await holdEarlierMessages(page);
        await page.keyboard.press('Home');
        await earlier.held;
        await messageOf(page, total).waitFor({ state: 'detached' });
        // Chromium would scroll after the event, and stop when the response arrives.
        await page.evaluate(
          'void (window.atKey = new Promise((end) => addEventListener("keydown", ({ target }) => end(target.scrollTop), { once: true })))',
        );
        await page.keyboard.press('End');
        assert.equal(Math.abs(await page.evaluate<number>('window.atKey')), 0, 'the key End reaches the end');
        earlier.release();
        await messageOf(page, total).waitFor();
      }
      await page.keyboard.press('Home');
      await messageOf(page, 1).waitFor();
      assert.ok((await thread.getByRole('listitem').count()) < 100, 'renders rows that are far away');

      const sources = thread.getByRole('button', { name: 'Sources' }).first();
      await sources.click();
      await page.keyboard.press('End');
      await messageOf(page, total).waitFor();
      assert.equal(await sources.getAttribute('aria-expanded'), 'true', 'the focused row stays');
      assert.deepEqual(problems, []);
      await close();
    });

    it('keeps the place of the reader while earlier messages load, and scrolls on by wheel and keys', async () => {
      const { page, problems, close } = await rig.open(`/conversations/${id}`);
      await messageOf(page, total).waitFor();
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      const earlier = await holdEarlierMessages(page);
      await threadOf(page).hover();
      await page.mouse.wheel(0, -100_000);
      await eventually(async () => assert.equal((await placeOf(page)).above, 0));
      await earlier.held;
      const { first, top } = await placeOf(page);
      const assertInPlace = async (when: string) => {
        const after = await placeOf(page, first);
        assert.ok(Math.abs(after.top - top) <= 1, `${when}, the row moved from ${top} to ${after.top}`);
      };
      earlier.release();
      await messageOf(page, first - 1).waitFor({ state: 'attached' });
      await assertInPlace('when earlier messages loaded');
      await say('A new one below');
      await page.getByRole('log').getByText('A new one below').waitFor({ state: 'attached' });
      await assertInPlace('when a message arrived');

      await threadOf(page).focus();
      await eventually(async () => {
        await page.keyboard.press('PageUp');
        const { first: shown, above } = await placeOf(page);
        assert.deepEqual([shown, above], [1, 0]);
      });
      await eventually(async () => {
        await page.keyboard.press('PageDown');
        assert.equal((await placeOf(page)).below, 0);
      });
      await say('The newest of all');
      await page.getByRole('log').getByText('The newest of all').waitFor({ state: 'attached' });
      await threadOf(page).getByText('The newest of all').waitFor();
      assert.deepEqual(problems, []);
      await close();
    });
  });

  it('has no accessibility problem, in both themes, wide and narrow, full and empty', async () => {
    const [device] = (await rig.api.listDevices({ team_id: teamId })).data;
    const [conversation] = (await rig.api.listConversations({ team_id: teamId })).data;
    const { team } = await rig.api.createTeam({
      team: { name: 'Empty' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    const paths = {
      devices: '/devices',
      'devices-of-nobody': `/devices?team=${team.id}`,
      device: `/devices/${device?.id}`,
      inbox: '/conversations',
      'inbox-of-nobody': `/conversations?team=${team.id}`,
      thread: `/conversations/${conversation?.id}`,
    };
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const) {
      for (const [name, path] of Object.entries(paths)) {
        const opened = await rig.open(path, { theme, width });
        await opened.page.locator('main:visible').waitFor();
        await eventually(async () => assert.equal(await opened.page.locator('.animate-pulse').count(), 0));
        await assertAccessible(opened, `${path} ${theme} ${width}`);
        assert.deepEqual(opened.problems, [], path);
        await takePicture(opened, `${name}-${theme}-${width}`);
        await opened.close();
      }
    }
  });
});
