import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { addLinkedDevice, assertAccessible, type Rig, scan, startRig, takePicture, write } from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">';
const contact = '+15550199';
const renewedCode = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

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

  it('offers no connection while the team is suspended', async () => {
    const { team } = await rig.api.createTeam({
      team: { name: 'Harbour Bikes' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Harbour' });
    const { id } = await rig.api.createDevice({ team_id: team.id, bot_id: bot.id, name: 'Pier' });
    await rig.api.updateTeam({ id: team.id, banned: true });
    const { page, problems, close } = await rig.open(`/devices/${id}`);
    await page.getByText('until the suspension of the team is lifted').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Connect' }).count(), 0, 'the API refuses it');
    await rig.api.updateTeam({ id: team.id, banned: false });
    await page.reload();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
    await rig.api.deleteTeam({ id: team.id });
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

    await write(rig, { from: '+15550198', to: '+15550100', text: 'Do you lend helmets?' });
    const contacts = page.getByRole('link', { name: /^\+1555019/ });
    await page.getByRole('link', { name: '+15550198' }).waitFor();
    await write(rig, { from: contact, to: '+15550100', text: 'And locks?' });
    await eventually(async () =>
      assert.match(await contacts.first().innerText(), /^\+15550199/, 'the last to write comes first'),
    );

    await page.getByLabel('Search by number').fill('+1 555 0199');
    await page.getByRole('link', { name: contact }).waitFor();
    await page.getByLabel('Search by number').fill('999');
    await page.getByText('Nothing matches your search').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await rig.api.stopDevice({ id: device.id });
    await page.getByText('You can answer when the device is connected').waitFor();
    assert.equal(await page.getByLabel('Answer as a person').count(), 0, 'the API refuses it');
    assert.deepEqual(problems, []);
    await close();
  });

  it('renders only the rows near the visible ones of a long thread, and loads earlier ones while it scrolls', async () => {
    const device = await addLinkedDevice(
      rig,
      { team_id: teamId, bot_id: botId, name: 'Archive' },
      '+15550101',
    );
    const say = (text: string) => write(rig, { from: contact, to: '+15550101', text });
    await say('Do you lend helmets?');
    const id = await eventually(async () => {
      const [conversation] = (await rig.api.listConversations({ device_id: device.id })).data;
      assert.ok(conversation);
      const { meta } = await rig.api.listConversationMessages({ id: conversation.id });
      assert.equal(meta.total, 2);
      return conversation.id;
    });
    await rig.api.pauseConversation({ id });
    for (let number = 1; number <= 120; number += 1) await say(`Long thread ${number}`);
    await eventually(async () => {
      const { data } = await rig.api.listConversationMessages({ id, limit: 1 });
      assert.equal(data[0]?.text, 'Long thread 120');
    });
    const { meta } = await rig.api.listConversationMessages({ id });
    const opened = await rig.open(`/conversations/${id}`);
    const { page, problems, close } = opened;
    const thread = page.getByRole('region', { name: /^Messages with/ });
    const message = (position: number) =>
      thread.locator(`[aria-posinset="${position}"][aria-setsize="${meta.total}"]`);
    await message(meta.total).getByText('Long thread 120').waitFor();
    await assertAccessible(opened, 'a long thread');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await thread.focus();
    for (let loaded = 50; loaded < meta.total; loaded += 50) {
      const read = Promise.withResolvers<void>();
      const scrolled = Promise.withResolvers<void>();
      await page.route(
        /\/messages\?.*after=/,
        async (route) => {
          const response = await route.fetch();
          read.resolve();
          await scrolled.promise;
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      await page.keyboard.press('Home');
      await read.promise;
      await message(meta.total).waitFor({ state: 'detached' });
      // The response arrives while Chromium scrolls.
      await page.evaluate(
        'void (window.scrolled = new Promise((end) => addEventListener("scroll", end, { once: true, capture: true })))',
      );
      await page.keyboard.press('End');
      await page.evaluate('window.scrolled.then(() => {})');
      scrolled.resolve();
      await message(meta.total).waitFor();
    }
    await page.keyboard.press('Home');
    await message(1).waitFor();
    assert.ok((await thread.getByRole('listitem').count()) < 100, 'renders rows that are far away');

    const sources = thread.getByRole('button', { name: 'Sources' }).first();
    await sources.click();
    await page.keyboard.press('End');
    await message(meta.total).waitFor();
    assert.equal(await sources.getAttribute('aria-expanded'), 'true', 'the focused row stays');
    await say('The newest of all');
    await page.getByRole('log').getByText('The newest of all').waitFor({ state: 'attached' });
    await thread.getByText('The newest of all').waitFor();
    assert.deepEqual(problems, []);
    await close();
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
