import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { addLinkedDevice, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

describe('the page of a website in the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let ids: { team_id: string; bot_id: string };
  before(async () => {
    rig = await startRig();
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user });
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Lumen' });
    await rig.api.publishBot({ id: bot.id });
    ids = { team_id: team.id, bot_id: bot.id };
  });
  after(() => rig.close());

  const websites = async () =>
    (await rig.api.listDevices({ team_id: ids.team_id })).data.filter(({ network }) => network === 'web');

  it('creates a chat, shows its line and its preview, and stores how it looks', async () => {
    const opened = await rig.open(`/devices?team=${ids.team_id}`);
    const { page, problems } = opened;
    await page.getByRole('button', { name: 'New device' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Network' }).click();
    await page.getByRole('option', { name: 'Chat on a website' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour shop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The chat is open').waitFor();
    const [created] = await websites();
    assert.ok(created?.web_chat);
    await page.getByText(`data-site="${created.id}"`).waitFor();
    await page.getByText('No website is listed yet').waitFor();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Harbour shop' }).waitFor();

    await page.getByRole('textbox', { name: 'Websites' }).fill('shop.example');
    await page.getByRole('textbox', { name: 'Title' }).fill('Ask Ada');
    await preview.getByRole('heading', { name: 'Ask Ada' }).waitFor();
    await page.getByRole('textbox', { name: 'Greeting' }).fill('Ahoy!');
    await preview.getByText('Ahoy!').waitFor();
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#117733');
    await preview.getByRole('textbox').first().fill('Nobody reads this');
    await page.keyboard.press('Enter');
    await preview.getByText('Nobody reads this').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('must be an origin as browsers send it').waitFor();
    await page
      .getByRole('textbox', { name: 'Websites' })
      .fill('https://shop.example\nhttps://www.shop.example');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    await page.getByText('No website is listed yet').waitFor({ state: 'detached' });
    const [saved] = await websites();
    const { allowed_origins, title, color, greeting } = saved?.web_chat ?? {};
    assert.deepEqual(
      [allowed_origins, title, color, greeting],
      [['https://shop.example', 'https://www.shop.example'], 'Ask Ada', '#117733', 'Ahoy!'],
    );
    assert.equal((await rig.api.listConversations({ device_id: created.id })).data.length, 0);
    await assertAccessible(opened, 'the page of a website');
    const list = await rig.open(`/devices?team=${ids.team_id}`);
    await list.page.getByText('Chat on a website').waitFor();
    await list.close();
    await takePicture(opened, 'website');
    assert.deepEqual(problems, []);
    await opened.close();
  });

  it('replaces the key in the line', async () => {
    const [website] = await websites();
    const opened = await rig.open(`/devices/${website?.id}`, { width: 390, theme: 'dark' });
    const { page, problems } = opened;
    await page.getByRole('button', { name: 'Replace the key…' }).click();
    await page.getByRole('dialog').getByText('show no chat until they have the new line').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the key' }).click();
    const key = await eventually(async () => {
      const [changed] = await websites();
      assert.match(changed?.web_chat?.site_key ?? '', /^site_/);
      return changed?.web_chat?.site_key ?? '';
    });
    await page.getByText(`data-site="${key}"`).waitFor();
    await assertAccessible(opened, 'the page of a website on a phone');
    await takePicture(opened, 'website-dark-390');
    assert.deepEqual(problems, []);
    await opened.close();
  });

  it('takes the reply to missed calls of a phone, and the oldest question that a bot answers', async () => {
    const phone = await addLinkedDevice(rig, { ...ids, name: 'Front desk' }, '+15550142');
    const opened = await rig.open(`/devices/${phone.id}`);
    const { page, problems } = opened;
    const edit = async (reply: string) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Edit…' }).click();
      await page.getByRole('textbox', { name: 'Reply to missed calls' }).fill(reply);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('dialog', { name: 'Edit the device' }).waitFor({ state: 'detached' });
      return (await rig.api.getDevice({ id: phone.id })).missed_call_reply;
    };
    assert.equal(await edit('We call you back.'), 'We call you back.');
    assert.equal(await edit(''), undefined);
    await page.goto(`${rig.base}/console/bots/${ids.bot_id}`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('spinbutton', { name: 'Oldest question to answer, in minutes' }).fill('30');
    await page.getByRole('button', { name: 'Save', exact: false }).first().click();
    await eventually(async () =>
      assert.equal((await rig.api.getBot({ id: ids.bot_id })).answer_max_age_minutes, 30),
    );
    assert.deepEqual(problems, []);
    await opened.close();
  });
});
