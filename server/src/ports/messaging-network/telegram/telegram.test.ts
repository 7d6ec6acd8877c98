import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type FakeTelegramBot, startFakeTelegram } from '../../../../test/fake-telegram/fake-telegram.ts';
import { DeviceUnderTest } from '../device-under-test.ts';
import {
  type MessageContent,
  type OutboundMessage,
  SendOutcomeUnknown,
  SendPostponed,
  SendRefused,
} from '../messaging-network.ts';
import { noAbort, text } from '../network-under-test.ts';
import { describePushedNetwork } from '../pushed-network.contract.ts';
import { createTelegramNetwork } from './telegram.ts';
import type { Update } from './updates.ts';
import { telegramWebhook } from './webhook.ts';

const telegram = await startFakeTelegram();
after(() => telegram.stop());
const ada = { id: 501, first_name: 'Ada', last_name: 'Byron' };
const chat = { id: ada.id, type: 'private' as const };
const contact = 'tg:501';
const png = Buffer.from('89504e470d0a1a0a00', 'hex');
const account = { accountKey: 'account', verifyToken: 'a-secret' };

const openNetwork = (baseUrl = telegram.url) =>
  createTelegramNetwork({
    baseUrl,
    webhookUrl: (key) => `http://127.0.0.1:9/networks/telegram/${key}/webhook`,
    logger: { error: () => undefined, warn: () => undefined },
  });

const prepare = async (device: DeviceUnderTest, token: string) =>
  device.store.write([
    {
      kind: 'telegram',
      id: 'credentials',
      value: Buffer.from(JSON.stringify({ ...account, fields: { bot_token: token } })),
    },
  ]);

const push = (update: Omit<Update, 'update_id'>, id = 1) => ({
  payload: { update_id: id, ...update },
  bytes: null,
});
const message = (number: number, content: object) => ({
  message_id: number,
  date: Math.floor(Date.now() / 1000),
  chat,
  from: ada,
  ...content,
});

describePushedNetwork('telegram', async () => {
  const bot = await telegram.createBot([ada]);
  const photo = await bot.addFile(png, 'a.png');
  return {
    openNetwork: () => openNetwork(),
    prepare: (device) => prepare(device, bot.token),
    contact,
    write: (number, words) => push({ message: message(number, { text: words }) }, number),
    writeImage: (number, caption) => ({
      event: push({ message: message(number, { caption, photo: [photo] }) }, number),
      bytes: png,
    }),
    receipt: null,
  };
});

const network = openNetwork();
after(() => network.close());

/** A bot with a session that is up. */
async function openBot() {
  const bot = await telegram.createBot([ada]);
  const device = new DeviceUnderTest();
  await prepare(device, bot.token);
  const session = device.open(network);
  await device.waitFor('up');
  const receive = async (update: Omit<Update, 'update_id'>, id?: number) => {
    const before = device.all('inbound').length;
    await session.receive?.(push(update, id));
    return device.all('inbound')[before]?.message;
  };
  const send = (content: MessageContent, more: Partial<OutboundMessage> = {}) =>
    session.send({ networkId: 'n1', to: contact, content, ...more }, noAbort);
  return { bot, botId: bot.token.split(':')[0], device, session, receive, send };
}

const seenBy = async (bot: FakeTelegramBot) => (await bot.read()).sent;

test('the webhook takes only updates with the secret of the account, and of chats with one person', () => {
  const isAuthentic = (token?: string) =>
    telegramWebhook.isAuthentic(
      {
        headers: token === undefined ? {} : { 'x-telegram-bot-api-secret-token': token },
        body: Buffer.alloc(0),
      },
      { ...account, fields: {} },
    );
  assert.deepEqual([isAuthentic('a-secret'), isAuthentic('another'), isAuthentic()], [true, false, false]);
  const split = (update: unknown) =>
    telegramWebhook.split(update, { ...account, fields: { bot_token: '9:A' } });
  const [item] = split({ update_id: 7, message: message(1, { text: 'hello' }) });
  assert.deepEqual([item?.key, item?.contact], ['9.7', contact]);
  for (const type of ['group', 'supergroup', 'channel'])
    assert.deepEqual(split({ update_id: 8, message: message(1, { chat: { id: -5, type } }) }), []);
  for (const other of [null, [], 'x', {}, { update_id: 9, my_chat_member: { chat } }])
    assert.deepEqual(split(other), []);
});

test('reads what people send, and who they are', async () => {
  const { bot, botId, receive } = await openBot();
  const file = (name: string) => bot.addFile(png, name);
  const read = async (content: object) => {
    const inbound = await receive({ message: message(3, content) });
    assert.ok(inbound);
    return [
      inbound.content.kind,
      inbound.content.kind === 'text' ? inbound.content.text : inbound.details?.type,
    ];
  };
  const first = await receive({ message: message(2, { text: '/start' }) });
  assert.deepEqual(
    [first?.networkId, first?.contactName, first?.contactNumber],
    [`${botId}.501.2`, 'Ada Byron', contact],
  );
  assert.deepEqual(await read({ voice: { ...(await file('v')), duration: 2 } }), ['voice', undefined]);
  assert.deepEqual(await read({ document: { ...(await file('d')), file_name: 'a.pdf' } }), [
    'document',
    undefined,
  ]);
  assert.deepEqual(await read({ video_note: await file('n') }), ['document', 'video']);
  assert.deepEqual(await read({ audio: await file('a') }), ['document', 'audio']);
  assert.deepEqual(await read({ sticker: await file('s') }), ['image', 'sticker']);
  assert.deepEqual(await read({ sticker: { ...(await file('s')), is_animated: true } }), [
    'document',
    'sticker',
  ]);
  const place = { latitude: 1.5, longitude: -2 };
  assert.deepEqual(await read({ location: place }), ['text', '[location: 1.5, -2]']);
  const venue = { location: place, title: 'Quay', address: 'Street 1' };
  assert.deepEqual(await read({ venue, location: place }), ['text', '[location: Quay, Street 1, 1.5, -2]']);
  assert.deepEqual(await read({ contact: { phone_number: '+1555', first_name: 'Bo' } }), [
    'text',
    '[contact: Bo +1555]',
  ]);
  const poll = { question: 'Bike?', options: [{ text: 'Yes' }, { text: 'No' }] };
  assert.deepEqual(await read({ poll }), ['text', '[poll: Bike? (Yes, No)]']);
  const unknown = await receive({ message: message(4, { game: {} }) });
  assert.deepEqual(unknown?.details, { type: 'unsupported', contentType: 'game' });
});

test('reads edits, answers, reactions and deletions with the message that they are about', async () => {
  const { botId, receive } = await openBot();
  const edit = await receive({ edited_message: message(3, { text: 'new', edit_date: 1_790_000_000 }) }, 9);
  assert.deepEqual(
    [edit?.networkId, edit?.content, edit?.details],
    [`${botId}.501.3.9`, { kind: 'text', text: '[edited] new' }, { type: 'edit', about: `${botId}.501.3` }],
  );
  const answer = await receive({
    message: message(5, { text: 'yes', reply_to_message: message(4, { text: 'Bike?' }) }),
  });
  assert.deepEqual(answer?.details, { replyTo: `${botId}.501.4`, quoted: { kind: 'text', text: 'Bike?' } });
  const react = (emoji?: string) =>
    receive({
      message_reaction: {
        chat,
        message_id: 4,
        new_reaction: emoji === undefined ? [] : [{ emoji }],
      },
    });
  assert.deepEqual((await react('👍'))?.details, { type: 'reaction', emoji: '👍', about: `${botId}.501.4` });
  assert.deepEqual((await react())?.content, { kind: 'text', text: '[reaction removed]' });
  const deleted = await receive({
    deleted_business_messages: { chat, message_ids: [4] },
  });
  assert.deepEqual(deleted?.details, { type: 'deletion', about: `${botId}.501.4` });
});

test('a button that the contact presses is an answer, and stops to wait', async () => {
  const { bot, botId, receive, send } = await openBot();
  const options = [{ id: 'city', title: 'City bike' }, { title: 'Electric bike' }];
  await send({ kind: 'text', text: 'Which bike?' }, { choices: { options } });
  const [{ message: sent } = { message: null }] = await seenBy(bot);
  assert.deepEqual(sent.reply_markup.inline_keyboard, [
    [{ text: 'City bike', callback_data: 'city' }],
    [{ text: 'Electric bike', callback_data: 'Electric bike' }],
  ]);
  const pressed = await receive({ callback_query: { id: 'q1', from: ada, data: 'city', message: sent } });
  assert.deepEqual(
    [pressed?.content, pressed?.details, pressed?.contactName],
    [
      { kind: 'text', text: 'City bike' },
      { type: 'button_reply', choice: 'city', replyTo: `${botId}.501.${sent.message_id}` },
      'Ada Byron',
    ],
  );
  assert.deepEqual((await bot.read()).answered, ['q1']);
});

test('sends text with its marks, and returns the id of the message', async () => {
  const { bot, botId, send } = await openBot();
  const id = await send({ kind: 'text', text: 'A *bold _word_* and `code_1`, not a_b_c.\n```\nx = 1\n```' });
  const [{ message: sent } = { message: null }] = await seenBy(bot);
  assert.equal(id, `${botId}.501.${sent.message_id}`);
  assert.equal(sent.text, 'A bold word and code_1, not a_b_c.\nx = 1');
  assert.deepEqual(
    sent.entities.map(({ type, offset, length }: { type: string; offset: number; length: number }) => [
      type,
      sent.text.slice(offset, offset + length),
    ]),
    [
      ['bold', 'bold word'],
      ['italic', 'word'],
      ['code', 'code_1'],
      ['pre', 'x = 1'],
    ],
  );
});

test('sends files with their captions, and long texts in parts', async () => {
  const { bot, send } = await openBot();
  await send({ kind: 'image', mimeType: 'image/png', bytes: png, caption: 'a *look*' });
  await send({ kind: 'image', mimeType: 'image/gif', bytes: png, caption: '' });
  await send({ kind: 'voice', mimeType: 'audio/ogg', bytes: png, seconds: 2, waveform: new Uint8Array(64) });
  const caption = 'word '.repeat(300).trim();
  await send({ kind: 'document', mimeType: 'application/pdf', bytes: png, fileName: 'a.pdf', caption });
  await send({ kind: 'text', text: `${'😀'.repeat(2050)}end` });
  const sent = await seenBy(bot);
  assert.deepEqual(
    sent.map(({ method, file }) => [method, file?.name]),
    [
      ['sendPhoto', 'image.png'],
      ['sendDocument', 'image.gif'],
      ['sendVoice', 'voice.ogg'],
      ['sendDocument', 'a.pdf'],
      ['sendMessage', undefined],
      ['sendMessage', undefined],
      ['sendMessage', undefined],
    ],
  );
  assert.equal(sent[0]?.message.caption, 'a look');
  assert.equal(sent[4]?.message.text, caption);
  const parts = sent.slice(5).map((each) => each.message.text as string);
  assert.ok(parts.every((part) => part.isWellFormed() && part.length <= 4096));
  assert.equal(parts.join(''), `${'😀'.repeat(2050)}end`);
});

test('tells what it knows about a message that was not sent', async () => {
  const { bot, device, send } = await openBot();
  const hello = { kind: 'text', text: 'hello' } as const;
  await bot.fail('sendMessage', { kind: 'lost' });
  await assert.rejects(send(hello), SendOutcomeUnknown);
  assert.equal((await seenBy(bot)).length, 1, 'the lost call had its effect, and is not repeated');
  await bot.fail('sendMessage', { kind: 'refused', code: 429, retryAfter: 3 });
  await assert.rejects(send(hello), (error) => error instanceof SendPostponed && error.seconds === 3);
  await bot.fail('sendMessage', { kind: 'refused', code: 502 });
  await assert.rejects(send(hello), SendOutcomeUnknown);
  await assert.rejects(
    send(hello, { to: 'tg:999' }),
    (error) => error instanceof SendRefused && error.reason === 'recipient_unknown',
  );
  await bot.setBlocked(ada.id, true);
  await assert.rejects(
    send(hello),
    (error) => error instanceof SendRefused && error.reason === 'network_refused',
  );
  assert.equal(device.all('down').length, 0);
  await bot.fail('sendMessage', { kind: 'refused', code: 401, description: 'Unauthorized' });
  await assert.rejects(send(hello), SendPostponed);
  assert.equal((await device.waitFor('down')).reason, 'credentials_invalid');
});

test('postpones a message while the state of the session cannot be read', async (t) => {
  const { bot, device, send } = await openBot();
  t.mock.method(device.store, 'read', () => Promise.reject(new Error('no database')), { times: 1 });
  await assert.rejects(send({ kind: 'text', text: 'hello' }), SendPostponed);
  assert.equal((await seenBy(bot)).length, 0);
  await send({ kind: 'text', text: 'hello' });
  assert.equal((await seenBy(bot)).length, 1);
});

test('stops for wrong credentials, and tries again for other failures', async () => {
  const open = async (token: string | null, on = network) => {
    const device = new DeviceUnderTest();
    if (token !== null) await prepare(device, token);
    device.open(on);
    return (await device.waitFor('down')).reason;
  };
  assert.equal(await open(null), 'credentials_invalid');
  assert.equal(await open(`1:${'B'.repeat(35)}`), 'credentials_invalid');
  assert.equal(await open('not-a-token'), 'credentials_invalid');
  const { token, fail } = await telegram.createBot([ada]);
  await fail('setWebhook', { kind: 'refused', code: 400, description: 'Bad Request: bad webhook' });
  assert.equal(await open(token), 'unavailable');
  const away = openNetwork('http://127.0.0.1:9');
  assert.equal(await open(token, away), 'connection_lost');
  await away.close();
});

test('a file that Telegram does not give leaves its description', async () => {
  const { bot, receive } = await openBot();
  const large = await bot.addFile(png, 'a', 17 * 1024 * 1024);
  const read = async (file: object, caption = '') => {
    const inbound = await receive({ message: message(3, { caption, photo: [file] }) });
    return [inbound?.content, inbound?.details];
  };
  assert.deepEqual(await read(large), [{ kind: 'text', text: '[image]' }, { missingMedia: 'too_large' }]);
  assert.deepEqual(await read({ file_id: 'gone' }, 'look'), [
    { kind: 'text', text: 'look' },
    { missingMedia: 'unavailable' },
  ]);
  const huge = await bot.addFile(png, 'a', 21_000_000);
  assert.deepEqual(await read({ ...huge, file_size: undefined }), [
    { kind: 'text', text: '[image]' },
    { missingMedia: 'too_large' },
  ]);
});

test('a chat of a business account has its own connection, and its people take over', async () => {
  const { bot, device, receive, send } = await openBot();
  const business = { business_connection_id: 'b1' };
  await receive({ business_message: message(1, { ...business, text: 'Hello?' }) });
  await send({ kind: 'text', text: 'Hi' });
  assert.equal((await seenBy(bot))[0]?.message.business_connection_id, 'b1');
  const owner = { id: 77, first_name: 'Bo' };
  const own = await receive({
    business_message: message(2, { ...business, from: owner, text: 'I am here' }),
  });
  assert.deepEqual([own?.fromMe, own?.contactNumber, own?.contactName], [true, contact, undefined]);
  const echo = { ...business, from: owner, sender_business_bot: owner, text: 'Hi' };
  assert.equal(await receive({ business_message: message(3, echo) }), undefined);
  assert.equal(device.all('inbound').length, 2);
  await assert.rejects(send(text('n', 'x').content, { to: '+15550199' }), SendRefused);
});
