import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { type FakeGraph, startFakeGraph } from '../../server/test/fake-graph/fake-graph.ts';
import { type FakeTelegram, startFakeTelegram } from '../../server/test/fake-telegram/fake-telegram.ts';
import {
  addTeamWithBot,
  assertAccessible,
  type ConsolePage,
  type Rig,
  startRig,
  takePicture,
} from './rig.ts';

const refused = 'The network refuses these credentials.';

describe('the link that connects an account', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let graph: FakeGraph;
  let telegram: FakeTelegram;
  let ids: { team_id: string; bot_id: string };

  before(async () => {
    graph = await startFakeGraph();
    telegram = await startFakeTelegram();
    rig = await startRig({
      MESSAGING_NETWORK: 'whatsapp_cloud,telegram',
      WHATSAPP_CLOUD_BASE_URL: graph.url,
      TELEGRAM_BASE_URL: telegram.url,
    });
    const { teamId, botId } = await addTeamWithBot(rig);
    ids = { team_id: teamId, bot_id: botId };
  });
  after(async () => {
    await rig?.close();
    await telegram?.stop();
    await graph?.stop();
  });

  /** Opens the link of a new device as its customer. */
  async function openLink(network: 'whatsapp_cloud' | 'telegram', name: string, width = 1280) {
    const { id } = await rig.api.createDevice({ ...ids, name, network });
    const { url } = await rig.api.createDeviceLink({ id });
    const { pathname, hash } = new URL(url);
    const path = `${pathname.replace('/console', '')}${hash}`;
    const opened = await rig.open(path, { token: null, width });
    await opened.page.getByRole('heading', { name: `Connect “${name}” with its credentials` }).waitFor();
    return { ...opened, id };
  }

  const fill = async ({ page }: Pick<ConsolePage, 'page'>, values: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
    await page.getByRole('button', { name: 'Connect' }).click();
  };

  const untilConnected = (id: string) =>
    eventually(async () => assert.equal((await rig.api.getDevice({ id })).connected, true));

  it('refuses wrong credentials of the official network in place, and connects with right ones', async () => {
    const number = await graph.addNumber('15550201000');
    const opened = await openLink('whatsapp_cloud', 'Pier');
    const { page } = opened;
    const right = {
      'Phone number ID': number.phone_number_id,
      'WhatsApp Business account ID': number.waba_id,
      'Access token': number.access_token,
      'App secret': number.app_secret,
    };
    await fill(opened, { ...right, 'Phone number ID': '+1 555' });
    await page.getByText('This value does not have the right form.').waitFor();
    assert.equal(await page.getByLabel('Phone number ID').getAttribute('aria-invalid'), 'true');
    await assertAccessible(opened, 'the form with a malformed value');
    await fill(opened, { ...right, 'Access token': 'EAAinvalidtoken' });
    await page.getByRole('alert').getByText(refused).waitFor();
    assert.equal(await page.getByLabel('Phone number ID').inputValue(), number.phone_number_id);
    await assertAccessible(opened, 'the form with refused credentials');
    await takePicture(opened, 'link-credentials-refused');
    await page.reload();
    await page.getByRole('alert').getByText(refused).waitFor();

    await fill(opened, right);
    await page.getByText('The account is connected').waitFor();
    await untilConnected(opened.id);
    await assertAccessible(opened, 'the connected account');
    await takePicture(opened, 'link-credentials-connected');
    const { pathname } = new URL(await page.locator('code').first().innerText());
    const verifyToken = await page.locator('code').last().innerText();
    assert.equal(
      await graph.setWebhook(number.phone_number_id, `${rig.base}${pathname}`, verifyToken),
      true,
      'the page shows what the network needs',
    );
    assert.deepEqual(opened.problems, []);
    await opened.close();

    const other = await openLink('whatsapp_cloud', 'Quay', 360);
    await fill(other, right);
    await other.page.getByText('Another connected device has this account.').waitFor();
    await assertAccessible(other, 'the form with an account in use in a narrow window');
    await takePicture(other, 'link-credentials-in-use');
    assert.deepEqual(other.problems, []);
    await other.close();
  });

  it('refuses a wrong token of a Telegram bot in place, and connects with the right one', async () => {
    const bot = await telegram.createBot([{ id: 501, first_name: 'Bo' }]);
    const opened = await openLink('telegram', 'Bot', 360);
    const { page } = opened;
    await fill(opened, { 'Token of the bot': `${bot.token.split(':')[0]}:${'x'.repeat(35)}` });
    await page.getByRole('alert').getByText(refused).waitFor();
    await assertAccessible(opened, 'the form with a refused token');
    await takePicture(opened, 'link-token-refused');
    await fill(opened, { 'Token of the bot': bot.token });
    await page.getByText('The account is connected').waitFor();
    await page.getByText('“Bot” is ready. You can close this page.').waitFor();
    await takePicture(opened, 'link-token-connected');
    await untilConnected(opened.id);
    await page.reload();
    await page.getByText('The account is connected').waitFor();
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  it('says on the page of a device what its account needs, and deletes the credentials', async () => {
    const number = await graph.addNumber('15550201001');
    const { id } = await rig.api.createDevice({ ...ids, name: 'Dock', network: 'whatsapp_cloud' });
    const opened = await rig.open(`/devices/${id}`);
    const { page } = opened;
    await page.getByText('Create a link to the form for the credentials.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Connect' }).count(), 0);
    await page.getByRole('button', { name: 'Send a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link for the person with the account' });
    await dialog.locator('code').waitFor();
    await assertAccessible(opened, 'the link for an account');
    await takePicture(opened, 'device-account-link');
    await page.keyboard.press('Escape');

    await rig.api.putDeviceCredentials({ id, ...number, access_token: 'EAAinvalidtoken' });
    await page.getByText('The credentials are stored.').waitFor();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('The network refuses the credentials', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send a link' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Connect' }).count(), 0);
    await takePicture(opened, 'device-account-refused');
    await rig.api.putDeviceCredentials({ id, ...number });
    await rig.api.connectDevice({ id });
    await page.getByText('The bot answers the people who write to this account.').waitFor();

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete the credentials' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the credentials of Dock?' });
    await assertAccessible(opened, 'the question before the credentials are deleted');
    await question.getByRole('button', { name: 'Delete the credentials' }).click();
    await page.getByText('The device has no credentials').waitFor();
    assert.equal((await rig.api.getDevice({ id })).webhook_url, null);
    assert.deepEqual(opened.problems, []);
    await opened.close();
    const narrow = await rig.open(`/devices/${id}`, { width: 360 });
    await narrow.page.getByText('Create a link to the form for the credentials.').waitFor();
    await assertAccessible(narrow, 'a device without credentials in a narrow window');
    await takePicture(narrow, 'device-account-narrow');
    await narrow.close();
  });
});
