import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { newPerson } from '../../server/test/cloud-numbers.ts';
import { eventually } from '../../server/test/eventually.ts';
import { type FakeGraph, startFakeGraph } from '../../server/test/fake-graph/fake-graph.ts';
import { type FakeTelegram, startFakeTelegram } from '../../server/test/fake-telegram/fake-telegram.ts';
import { createVisitor, shop } from '../../server/test/web-visitor.ts';
import { addLinkedDevice, type Rig, startRig, write } from './rig.ts';

const question = 'Is a helmet included?';
const answer = /a helmet is included/;
const networks = ['Front desk', 'Website', 'Telegram bot', 'Official number'] as const;

describe('one bot on all networks', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let telegram: FakeTelegram;
  let graph: FakeGraph;
  let ids: { team_id: string; bot_id: string };

  before(async () => {
    telegram = await startFakeTelegram();
    graph = await startFakeGraph();
    rig = await startRig({
      MESSAGING_NETWORK: 'simulator,web,telegram,whatsapp_cloud',
      TELEGRAM_BASE_URL: telegram.url,
      WHATSAPP_CLOUD_BASE_URL: graph.url,
    });
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user });
    await rig.api.updateTeam({ id: team.id, settings: { reply_delay_seconds: 0 } });
    const bot = await rig.api.createBot({
      team_id: team.id,
      name: 'Lumen',
      questions: [{ question, answer: 'Yes, a helmet is included.' }],
    });
    await rig.api.publishBot({ id: bot.id });
    ids = { team_id: team.id, bot_id: bot.id };
  });
  after(async () => {
    await rig?.close();
    await telegram?.stop();
    await graph?.stop();
  });

  const untilConnected = (id: string) =>
    eventually(async () => assert.equal((await rig.api.getDevice({ id })).connected, true));

  /** Asks on each network as one of its people, waits for the answer where this person reads it, and chooses with buttons. */
  const asking: Readonly<Record<(typeof networks)[number], () => Promise<void>>> = {
    async 'Front desk'() {
      const device = await addLinkedDevice(rig, { ...ids, name: 'Front desk' }, '+15550142');
      const chat = { from: '+15550199', to: device.phone_number ?? '' };
      await write(rig, { ...chat, text: question });
      await eventually(async () => {
        const path = '/simulator/messages';
        const query = { contact: chat.from, device: chat.to };
        const messages = await rig.api.request<{ text: string }[]>({ method: 'GET', path, query });
        assert.match(messages.at(-1)?.text ?? '', answer);
      });
    },
    async Website() {
      const { id } = await rig.api.createDevice({ ...ids, name: 'Website', network: 'web' });
      await rig.api.updateDevice({ id, web_chat: { allowed_origins: [shop] } });
      await rig.api.connectDevice({ id });
      await untilConnected(id);
      const visitor = createVisitor(() => rig.base, id);
      await visitor.visit();
      await visitor.write('message-1', question);
      await visitor.read((messages) => messages.some(({ own, text }) => !own && answer.test(text)));
    },
    async 'Telegram bot'() {
      const { id } = await rig.api.createDevice({ ...ids, name: 'Telegram bot', network: 'telegram' });
      const bot = await telegram.createBot([{ id: 501, first_name: 'Bo' }]);
      await bot.proxy(rig.base);
      await rig.api.putDeviceCredentials({ id, bot_token: bot.token });
      await rig.api.connectDevice({ id });
      await untilConnected(id);
      await bot.write(501, { text: question });
      const lastSent = async () => (await bot.read()).sent.at(-1)?.message;
      await eventually(async () => assert.match((await lastSent())?.text ?? '', answer));
      await bot.write(501, { text: 'What can you do?' });
      const offer = await eventually(async () => {
        const sent = await lastSent();
        assert.match(sent?.text ?? '', /^1\. Is a helmet included\?$/m);
        return sent;
      });
      const numbers = [[{ text: '1', callback_data: '1' }]];
      assert.deepEqual(offer?.reply_markup, { inline_keyboard: numbers });
      await bot.press(501, offer?.message_id ?? 0, '1');
      await eventually(async () => assert.match((await lastSent())?.text ?? '', answer));
    },
    async 'Official number'() {
      const { id } = await rig.api.createDevice({
        ...ids,
        name: 'Official number',
        network: 'whatsapp_cloud',
      });
      const credentials = await graph.addNumber('15550201000');
      const stored = await rig.api.putDeviceCredentials({ id, ...credentials });
      const { pathname } = new URL(stored.webhook_url);
      const phone = credentials.phone_number_id;
      assert.equal(await graph.setWebhook(phone, `${rig.base}${pathname}`, stored.verify_token), true);
      await rig.api.connectDevice({ id });
      await untilConnected(id);
      const cleo = newPerson('Cleo');
      await graph.write(phone, cleo, question);
      const lastSent = async () => JSON.stringify((await graph.sent(phone)).at(-1)?.body);
      await eventually(async () => assert.match(await lastSent(), answer));
      await graph.write(phone, cleo, 'What can you do?');
      await eventually(async () => assert.match(await lastSent(), /1\. Is a helmet included.*"title":"1"/));
      const reply = { type: 'button_reply', button_reply: { id: '1', title: '1' } };
      await graph.write(phone, cleo, { type: 'interactive', interactive: reply });
      await eventually(async () => assert.match(await lastSent(), answer));
    },
  };

  it('answers on each of them, and people see all conversations in one inbox', async () => {
    for (const network of networks) await asking[network]();
    const opened = await rig.open('/conversations');
    const { page, problems } = opened;
    const { data: devices } = await rig.api.listDevices({ team_id: ids.team_id });
    for (const network of networks) {
      const device = devices.find(({ name }) => name === network);
      await page.goto(`${rig.base}/console/conversations?device=${device?.id}`);
      await page.getByText('a helmet is included').first().waitFor();
    }
    const { data: conversations } = await rig.api.listConversations({ team_id: ids.team_id });
    const schemes = conversations.map(({ contact_number: contact }) =>
      contact.replace(/^(\+|[a-z]+:).*$/, '$1'),
    );
    assert.deepEqual(schemes.toSorted(), ['+', '+', 'tg:', 'web:']);
    assert.deepEqual(problems, []);
    await opened.close();
  });
});
