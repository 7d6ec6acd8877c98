import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { newPerson } from '../../server/test/cloud-numbers.ts';
import { eventually } from '../../server/test/eventually.ts';
import { type FakeGraph, startFakeGraph } from '../../server/test/fake-graph/fake-graph.ts';
import type { Person } from '../../server/test/fake-graph/state.ts';
import { addTeamWithBot, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

const hourMs = 3_600_000;

describe('message templates of the official network', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let graph: FakeGraph;
  let phone: string;
  let deviceId: string;
  let teamId: string;

  before(async () => {
    graph = await startFakeGraph();
    rig = await startRig({
      MESSAGING_NETWORK: 'simulator,whatsapp_cloud',
      WHATSAPP_CLOUD_BASE_URL: graph.url,
      MESSAGE_PRICES: 'EUR: utility=0.03, utility/1555=0.0456',
    });
    const team = await addTeamWithBot(rig);
    teamId = team.teamId;
    const device = { team_id: teamId, bot_id: team.botId, name: 'Pier', network: 'whatsapp_cloud' } as const;
    deviceId = (await rig.api.createDevice(device)).id;
    const credentials = await graph.addNumber('15550201000');
    phone = credentials.phone_number_id;
    const stored = await rig.api.putDeviceCredentials({ id: deviceId, ...credentials });
    const webhook = `${rig.base}${new URL(stored.webhook_url).pathname}`;
    assert.equal(await graph.setWebhook(phone, webhook, stored.verify_token), true);
    await rig.api.connectDevice({ id: deviceId });
    await eventually(async () => assert.equal((await rig.api.getDevice({ id: deviceId })).connected, true));
  });
  after(async () => {
    await rig?.close();
    await graph?.stop();
  });

  const storedDefault = async () => (await rig.api.getDevice({ id: deviceId })).default_template;

  it('asks for a review, shows the decision, chooses the default and deletes', async () => {
    const opened = await rig.open(`/devices/${deviceId}`);
    const { page } = opened;
    const rows = page.getByRole('list', { name: 'Message templates' }).getByRole('listitem');
    await page.getByText('No templates yet').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    const form = page.getByRole('dialog', { name: 'New template' });
    await form.getByLabel('Name').fill('Order ready');
    await form.getByLabel('Text').fill('Your order  is ready.');
    await form.getByLabel('Text').press('Home');
    for (const _ of 'Your order ') await form.getByLabel('Text').press('ArrowRight');
    await form.getByRole('button', { name: 'Add a variable' }).click();
    assert.equal(await form.getByLabel('Text').inputValue(), 'Your order {{1}} is ready.');
    await form.getByLabel('Example for {{1}}').fill('4711');
    await form.getByRole('button', { name: 'Ask for a review' }).click();
    await form.getByText('must be small letters, digits and _').waitFor();
    await assertAccessible(opened, 'the form of a template');
    await takePicture(opened, 'template-form');
    await form.getByLabel('Name').fill('order_ready');
    await form.getByLabel('Text').fill('{{1}} is ready.');
    await form.getByRole('button', { name: 'Ask for a review' }).click();
    await form.getByText('Variables cannot be at the start or the end').waitFor();
    await form.getByLabel('Text').fill('Your order {{1}} is ready.');
    await form.getByRole('button', { name: 'Ask for a review' }).click();
    await rows.getByText('In review').waitFor();

    await graph.review(phone, 'order_ready', 'REJECTED', { reason: 'TAG_CONTENT_MISMATCH' });
    await rows.getByText('Rejected').waitFor();
    await rows.getByText('The language or the category does not fit the text.').waitFor();
    await graph.review(phone, 'order_ready', 'APPROVED');
    await rows.getByText('Approved').waitFor();

    const choice = page.getByRole('combobox', { name: 'Default template' });
    await choice.click();
    await page.getByRole('option', { name: 'order_ready (en)' }).click();
    await rows.getByText('Default', { exact: true }).waitFor();
    assert.deepEqual(await storedDefault(), { name: 'order_ready', language: 'en' });
    await assertAccessible(opened, 'the templates');
    await takePicture(opened, 'templates');
    await graph.review(phone, 'order_ready', 'PAUSED');
    await page.getByText('The network does not take the default template now').waitFor();
    await rows.getByText('Paused').waitFor();
    await choice.click();
    await page.getByRole('option', { name: 'None: such texts are refused' }).click();
    await eventually(async () => assert.equal(await storedDefault(), undefined));

    await page.getByRole('button', { name: 'Delete order_ready (en)' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the template order_ready (en)?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No templates yet').waitFor();
    assert.deepEqual((await rig.api.listTemplates({ id: deviceId })).data, []);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  it('fits a narrow window, and shows a viewer the templates without anything to change', async () => {
    const name = 'a_long_name_that_a_person_may_choose_for_a_template_of_the_network_1234567890';
    await rig.api.createTemplate({
      id: deviceId,
      name,
      language: 'pt_BR',
      category: 'marketing',
      body: 'Olá {{1}}, o seu pedido {{2}} chegou.\nAté logo!',
      examples: ['Ana', '4711'],
    });
    const narrow = await rig.open(`/devices/${deviceId}`, { width: 360 });
    await narrow.page.getByText(name).waitFor();
    await assertAccessible(narrow, 'the templates in a narrow window');
    await takePicture(narrow, 'templates-narrow');
    await narrow.page.getByRole('button', { name: 'New template' }).click();
    await narrow.page.getByLabel('Text').fill('For {{1}} and {{2}}.');
    await assertAccessible(narrow, 'the form of a template in a narrow window');
    await takePicture(narrow, 'template-form-narrow');
    await narrow.close();

    const key = await rig.api.createApiKey({ name: 'V', scope: 'team', team_id: teamId, role: 'viewer' });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const viewer = await rig.open(`/devices/${deviceId}`, { token });
    await viewer.page.getByText(name).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'New template' }).count(), 0);
    assert.equal(await viewer.page.getByRole('button', { name: /^Delete / }).count(), 0);
    const choice = viewer.page.getByRole('combobox', { name: 'Default template' });
    assert.equal(await choice.isDisabled(), true);
    assert.deepEqual(viewer.problems, []);
    await viewer.close();
  });

  const conversationWith = (person: Person) =>
    eventually(async () => {
      const contact = `+${person.wa_id}`;
      const [chat] = (await rig.api.listConversations({ contact_number: contact })).data;
      assert.ok(chat);
      return chat.id;
    });

  it('sends a chosen template to a contact who has not written for 24 hours', async () => {
    const dee = newPerson('Dee');
    await graph.moveClock(-25 * hourMs);
    await graph.write(phone, dee, 'When is my order ready?');
    await graph.moveClock(25 * hourMs);
    const id = await conversationWith(dee);
    const opened = await rig.open(`/conversations/${id}`);
    const { page } = opened;
    await page.getByText(/^Since .+, the network takes only templates\.$/).waitFor();
    await page.getByText('The network has approved no template').waitFor();
    assert.equal(await page.getByLabel('Answer as a person').count(), 0);
    await takePicture(opened, 'window-no-template');
    const texts = { order_ready: 'Your order {{1}} is ready at {{2}}.', news: 'News: {{1}} See you.' };
    for (const [name, body] of Object.entries(texts)) {
      const examples = ['4711', 'noon'].slice(0, name === 'news' ? 1 : 2);
      const template = { name, language: 'en', category: 'utility', body, examples } as const;
      await rig.api.createTemplate({ id: deviceId, ...template });
      await graph.review(phone, name, 'APPROVED');
    }
    const choice = page.getByRole('combobox', { name: 'Template' });
    await choice.click();
    await page.getByRole('option', { name: 'order_ready (en)' }).click();
    await page.getByLabel('Value of {{1}}').fill('17');
    await page.getByLabel('Value of {{2}}').fill('five     o’clock');
    await page.getByText('Your order 17 is ready at five').waitFor();
    await page.getByRole('button', { name: 'Send the template' }).click();
    await page.getByText('must have no line break, no tab and no five spaces').waitFor();
    await assertAccessible(opened, 'the form outside the window');
    await takePicture(opened, 'window-template');
    await page.getByLabel('Value of {{2}}').fill('five');
    await page.getByRole('button', { name: 'Send the template' }).click();
    await page.getByRole('log').getByText('Your order 17 is ready at five.').waitFor();
    const [taken] = (await graph.sent(phone)).slice(-1);
    const parameters = ['17', 'five'].map((text) => ({ type: 'text', text }));
    assert.deepEqual(taken?.body['template'], {
      name: 'order_ready',
      language: { code: 'en' },
      components: [{ type: 'body', parameters }],
    });
    assert.deepEqual(opened.problems, []);
    await opened.close();

    await rig.api.updateDevice({ id: deviceId, default_template: { name: 'news', language: 'en' } });
    const { url } = await rig.api.createPortalLink({
      team_id: teamId,
      role: 'agent',
      pages: ['conversations'],
    });
    const { pathname, hash } = new URL(url);
    const portal = await rig.open(`${pathname.slice('/console'.length)}${hash}`, { token: null, width: 360 });
    await portal.page.getByRole('link', { name: 'Dee' }).click();
    await portal.page.getByRole('combobox', { name: 'Template' }).getByText('news (en)').waitFor();
    await portal.page.getByLabel('Value of {{1}}').fill('We open at 8.');
    await assertAccessible(portal, 'the form outside the window in a narrow portal');
    await takePicture(portal, 'window-template-narrow');
    await portal.page.getByRole('button', { name: 'Send the template' }).click();
    await portal.page.getByText('News: We open at 8. See you.').first().waitFor();
    await eventually(async () => {
      const [last] = (await graph.sent(phone)).slice(-1);
      assert.match(JSON.stringify(last?.body), /We open at 8/);
    });
    assert.deepEqual(portal.problems, []);
    await portal.close();
  });

  it('offers templates as soon as the window closes while somebody looks', async () => {
    const eve = newPerson('Eve');
    await graph.write(phone, eve, 'Hello');
    const { page, problems, close } = await rig.open(`/conversations/${await conversationWith(eve)}`);
    await page.clock.install();
    await page.reload();
    await page.getByLabel('Answer as a person').waitFor();
    await page.getByText(/^The network takes messages until /).waitFor();
    await page.clock.fastForward('24:01:00');
    await page.getByRole('button', { name: 'Send the template' }).waitFor();
    assert.equal(await page.getByLabel('Answer as a person').count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows what the network charged a team for its messages, and nothing to other teams', async () => {
    const [prices] = await eventually(async () => {
      const { message_prices: found } = await rig.api.getTeamUsage({ id: teamId });
      assert.ok(found.some(({ category }) => category === 'utility'));
      return found.filter(({ category }) => category === 'utility');
    });
    assert.ok(prices !== undefined && prices.billable > 0);
    assert.equal(prices.amount, (prices.billable * 456) / 10_000);
    const narrow = await rig.open(`/teams/${teamId}`, { width: 360 });
    const { page } = narrow;
    const row = page.getByRole('row').filter({ hasText: 'Utility' });
    await row.getByText(`${prices.amount} EUR`).waitFor();
    await page.getByRole('heading', { name: /^Prices of messages in / }).waitFor();
    await assertAccessible(narrow, 'the prices of messages');
    await takePicture(narrow, 'message-prices-narrow');
    assert.deepEqual(narrow.problems, []);
    await narrow.close();

    const german = await rig.open(`/teams/${teamId}`, { locale: 'de' });
    await german.page
      .getByRole('row')
      .filter({ hasText: 'Service' })
      .getByText(/^0,\d+ EUR$/)
      .waitFor();
    await takePicture(german, 'message-prices');
    await german.close();

    const other = await addTeamWithBot(rig);
    const empty = await rig.open(`/teams/${other.teamId}`);
    await empty.page.getByRole('heading', { name: 'AI usage this month' }).waitFor();
    assert.equal(await empty.page.getByText('Prices of messages in').count(), 0);
    await empty.close();
  });
});
