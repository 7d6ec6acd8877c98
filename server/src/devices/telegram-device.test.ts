import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { waitForDevice } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { damaged } from '../../test/hostile-pushes.ts';
import { ada, startTelegramApp } from '../../test/telegram-bots.ts';

const app = await startTelegramApp();
const { api } = app;
const pool = await app.startPool();

interface Stored {
  id: string;
  direction: string;
  kind: string;
  status: string;
  text: string;
}

/** Oldest first. */
const readMessages = async (deviceId: string): Promise<Stored[]> =>
  (await api('GET', `/messages?device_id=${deviceId}`)).body.data.toReversed();

const untilStored = (deviceId: string, texts: readonly string[]) =>
  eventually(async () =>
    assert.deepEqual(
      (await readMessages(deviceId)).map(({ text }) => text),
      texts,
    ),
  );

/** The conversation with Ada. */
const findConversation = async (deviceId: string) => {
  const [conversation] = (await api('GET', `/conversations?device_id=${deviceId}`)).body.data;
  return conversation as { id: string; contact_number: string; contact?: { name: string } };
};

test('a person writes to the bot, and gets answers', async () => {
  const { deviceId, bot } = await app.addBot();
  const { data: device } = (await api('GET', `/devices/${deviceId}`)).body;
  assert.deepEqual(
    [device.network, device.phone_number, device.capabilities.initiates],
    ['telegram', null, 'never'],
  );
  await bot.write(ada.id, { text: 'Do you rent tandems?' });
  await untilStored(deviceId, ['Do you rent tandems?']);
  const conversation = await findConversation(deviceId);
  assert.equal(conversation.contact_number, 'tg:501');
  const written = await api('POST', `/conversations/${conversation.id}/messages`, {
    body: { text: 'Yes, *two*.' },
  });
  assert.equal(written.status, 200);
  await eventually(async () => assert.equal((await bot.read()).sent.length, 1));
  const { message } = (await bot.read()).sent[0] ?? {};
  assert.deepEqual([message.text, message.entities], ['Yes, two.', [{ type: 'bold', offset: 5, length: 3 }]]);
  await eventually(async () => assert.equal((await readMessages(deviceId)).at(-1)?.status, 'sent'));
  await bot.write(ada.id, { text: 'Thanks', reply_to_message: message });
  await untilStored(deviceId, ['Do you rent tandems?', 'Yes, *two*.', 'Thanks']);
  const [, answer, thanks] = (await api('GET', `/messages?device_id=${deviceId}`)).body.data.toReversed();
  assert.equal(thanks.details?.replyToId ?? thanks.reply_to_id ?? answer.id, answer.id);
});

test('nobody can be written to first', async () => {
  const { deviceId } = await app.addBot();
  const { status, body } = await api('POST', '/send', {
    body: { device_id: deviceId, message: 'Hello', destination_number: '+15550199' },
  });
  assert.deepEqual([status, body.details.reason], [400, 'network_cannot_initiate']);
});

test('only Telegram can push, and a repeated update is stored once', async () => {
  const { deviceId, bot, webhookUrl } = await app.addBot();
  const push = (token: string | null, url = webhookUrl) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { 'x-telegram-bot-api-secret-token': token }),
      },
      body: JSON.stringify({ update_id: 1, message: { message_id: 1, chat: { id: 501, type: 'private' } } }),
    });
  for (const token of [null, '', 'forged']) assert.equal((await push(token)).status, 401);
  assert.equal((await push('forged', webhookUrl.replace(/[^/]+\/webhook$/, 'unknown/webhook'))).status, 401);
  await bot.write(ada.id, { text: 'one' });
  await untilStored(deviceId, ['one']);
  await bot.repeatLast();
  await bot.write(ada.id, { text: 'two' });
  await untilStored(deviceId, ['one', 'two']);
  await eventually(async () => assert.equal((await bot.read()).pending, 0));
});

test('damaged updates keep no later message and no list from its readers', async () => {
  const { deviceId, bot, webhookUrl, verifyToken } = await app.addBot();
  const chat = { id: 501, type: 'private' };
  const file = { file_id: 'f', file_size: 3, file_name: 'a.pdf', mime_type: 'application/pdf', duration: 2 };
  const place = { latitude: 1.5, longitude: 2.5 };
  const quoted = { message_id: 999_999, date: 1_790_000_000, chat, text: 'Before' };
  const contents = [
    { text: 'Hello', reply_to_message: quoted },
    { photo: [file], caption: 'A boat' },
    ...['voice', 'audio', 'document', 'video', 'video_note', 'animation', 'sticker'].map((kind) => ({
      [kind]: file,
    })),
    { location: place },
    { venue: { location: place, title: 'Dock', address: 'Quay 1' } },
    { contact: { phone_number: '+1555', first_name: 'Bo', vcard: 'BEGIN:VCARD' } },
    { poll: { question: 'When?', options: [{ text: 'Now' }, { text: 'Later' }] } },
    { dice: { emoji: '🎲', value: 3 } },
  ];
  const messages = contents.map((content) => ({
    message_id: 2,
    date: 1_790_000_000,
    chat,
    from: ada,
    ...content,
  }));
  const pressed = { ...quoted, reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] } };
  const updates = [
    ...messages.map((message) => ({ message })),
    { edited_message: { ...quoted, edit_date: 1_790_000_100 } },
    { business_message: { ...quoted, business_connection_id: 'b', from: { id: 9, first_name: 'Shop' } } },
    { deleted_business_messages: { chat, message_ids: [1, 2] } },
    { message_reaction: { chat, message_id: 1, new_reaction: [{ emoji: '👍' }] } },
    { callback_query: { id: 'q', from: ada, data: 'yes', message: pressed } },
  ].map((update) => ({ update_id: 0, ...update }));
  // The fake counts from 1.
  let id = 1_000_000;
  await fc.assert(
    fc.asyncProperty(damaged(updates), async (update) => {
      id += 1;
      // Otherwise only the first of them would be stored.
      const body = JSON.stringify(update)
        .replace('"update_id":0', `"update_id":${id}`)
        .replaceAll('"message_id":2', `"message_id":${id}`);
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': verifyToken };
      assert.equal((await fetch(webhookUrl, { method: 'POST', headers, body })).status, 200);
    }),
    { numRuns: 200 },
  );
  await bot.write(ada.id, { text: 'Are you there?' });
  await eventually(async () => assert.equal((await readMessages(deviceId)).at(-1)?.text, 'Are you there?'));
  const { body } = await api('GET', `/messages?device_id=${deviceId}`);
  assert.ok(body.meta.total > 30, 'many of them say something');
});

test('groups are ignored', async () => {
  const { deviceId, bot } = await app.addBot();
  await bot.write(ada.id, { text: 'in a group', chat: { id: -77, type: 'group' } });
  await bot.write(ada.id, { text: 'to the bot' });
  await untilStored(deviceId, ['to the bot']);
});

test('an edit of a question that waits changes it', async () => {
  const { deviceId, bot } = await app.addBot();
  const question = await bot.write(ada.id, { text: 'Do you rent tandms?' });
  await untilStored(deviceId, ['Do you rent tandms?']);
  await bot.update('edited_message', { ...question, text: 'Do you rent tandems?', edit_date: question.date });
  await eventually(async () => assert.equal((await readMessages(deviceId))[0]?.text, 'Do you rent tandems?'));
});

test('a message with an unknown outcome is never sent again', async () => {
  const { deviceId, bot } = await app.addBot();
  await bot.write(ada.id, { text: 'Hello' });
  await untilStored(deviceId, ['Hello']);
  await bot.fail('sendMessage', { kind: 'lost' });
  const { id } = await findConversation(deviceId);
  const write = (text: string) => api('POST', `/conversations/${id}/messages`, { body: { text } });
  await write('first');
  await eventually(async () => assert.equal((await bot.read()).sent.length, 1));
  await bot.fail('sendMessage', { kind: 'refused', code: 429, retryAfter: 1 });
  await write('second');
  await eventually(async () =>
    assert.deepEqual(
      (await bot.read()).sent.map(({ message }) => message.text),
      ['first', 'second'],
    ),
  );
});

test('a revoked token stops the device, and another one starts it again', async () => {
  const { deviceId, bot } = await app.addBot();
  await bot.write(ada.id, { text: 'Hello' });
  await untilStored(deviceId, ['Hello']);
  await bot.fail('sendMessage', { kind: 'refused', code: 401, description: 'Unauthorized' });
  const { id } = await findConversation(deviceId);
  await api('POST', `/conversations/${id}/messages`, { body: { text: 'Are you there?' } });
  const stopped = await waitForDevice(app, deviceId, ({ status }) => status === 'stopped');
  assert.equal(stopped['last_disconnect_reason'], 'credentials_invalid');
  const put = (body: object) => api('PUT', `/devices/${deviceId}/credentials`, { body });
  assert.equal((await put({ bot_token: 'no token' })).body.details.issues[0].path, 'bot_token');
  assert.equal((await put({ bot_token: bot.token })).status, 200);
  await api('POST', `/devices/${deviceId}/connect`);
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
  await eventually(async () => assert.equal((await bot.read()).sent.at(-1)?.message.text, 'Are you there?'));
});

test('a device that gets another bot takes its messages, although it counts from the beginning', async () => {
  const { deviceId, bot } = await app.addBot();
  const next = await app.addBot();
  await bot.write(ada.id, { text: 'to the first' });
  await untilStored(deviceId, ['to the first']);
  await api('POST', `/devices/${next.deviceId}/logout`);
  await api('POST', `/devices/${deviceId}/stop`);
  const body = { bot_token: next.bot.token };
  assert.equal((await api('PUT', `/devices/${deviceId}/credentials`, { body })).status, 200);
  await api('POST', `/devices/${deviceId}/connect`);
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
  await next.bot.write(ada.id, { text: 'to the next' });
  await untilStored(deviceId, ['to the first', 'to the next']);
});

test('updates wait while no pool hosts the device, and another pool reads them in order', async () => {
  const { deviceId, bot } = await app.addBot();
  await pool.close();
  const texts = ['one', 'two', 'three'];
  for (const text of texts) await bot.write(ada.id, { text });
  await eventually(async () => assert.equal((await bot.read()).pending, 0));
  assert.deepEqual(await readMessages(deviceId), []);
  await app.startPool();
  await untilStored(deviceId, texts);
});
