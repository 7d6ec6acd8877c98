import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { Bot, GrammyError, InputFile, webhookCallback } from 'grammy';
import { getUrl } from '../../src/platform/shared/listening.ts';
import { eventually } from '../eventually.ts';
import { startFakeTelegram } from './fake-telegram.ts';

const telegram = await startFakeTelegram();
after(() => telegram.stop());
const ada = { id: 501, first_name: 'Ada', last_name: 'Byron' };
const png = Buffer.from('89504e470d0a1a0a00', 'hex');

/** A bot of the published library. It talks to the fake as it talks to Telegram. */
async function startBot() {
  const fake = await telegram.createBot([ada]);
  const bot = new Bot(fake.token, { client: { apiRoot: telegram.url } });
  const server = createServer(webhookCallback(bot, 'http', { secretToken: 'a-secret' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const listen = () =>
    bot.api.setWebhook(getUrl('127.0.0.1', server), {
      secret_token: 'a-secret',
      allowed_updates: ['message', 'edited_message', 'callback_query', 'message_reaction'],
    });
  return { fake, bot, listen, url: getUrl('127.0.0.1', server) };
}

test('a published library sends to the fake, and reads what it answers', async () => {
  const { fake, bot } = await startBot();
  assert.equal((await bot.api.getMe()).username, fake.username);
  const sent = await bot.api.sendMessage(ada.id, 'Hello *Ada*', {
    entities: [{ type: 'bold', offset: 6, length: 5 }],
  });
  assert.deepEqual([sent.chat.id, sent.text, sent.entities?.[0]?.type], [ada.id, 'Hello *Ada*', 'bold']);
  const photo = await bot.api.sendPhoto(ada.id, new InputFile(png, 'a.png'), { caption: 'look' });
  assert.equal(photo.caption, 'look');
  const file = await bot.api.getFile(photo.photo.at(-1)?.file_id ?? '');
  const loaded = await fetch(`${telegram.url}/file/bot${fake.token}/${file.file_path}`);
  assert.ok(Buffer.from(await loaded.arrayBuffer()).equals(png));
  const { sent: seen } = await fake.read();
  assert.deepEqual(
    seen.map(({ method, file: shown }) => [method, shown?.name ?? null]),
    [
      ['sendMessage', null],
      ['sendPhoto', 'a.png'],
    ],
  );
});

test('a published library reads the refusals of the fake', async () => {
  const { fake, bot } = await startBot();
  const refused = async (call: Promise<unknown>, code: number, description: RegExp) =>
    assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof GrammyError);
      assert.equal(error.error_code, code);
      assert.match(error.description, description);
      return true;
    });
  await refused(bot.api.sendMessage(999, 'hello'), 400, /chat not found/);
  await refused(bot.api.sendMessage(ada.id, 'a'.repeat(4097)), 400, /message is too long/);
  await fake.setBlocked(ada.id, true);
  await refused(bot.api.sendMessage(ada.id, 'hello'), 403, /blocked by the user/);
  await fake.fail('sendMessage', {
    kind: 'refused',
    code: 429,
    description: 'Too Many Requests',
    retryAfter: 3,
  });
  await assert.rejects(
    bot.api.sendMessage(ada.id, 'hello'),
    (error: unknown) => error instanceof GrammyError && error.parameters.retry_after === 3,
  );
  const unknown = new Bot(`1:${'B'.repeat(35)}`, { client: { apiRoot: telegram.url } });
  await refused(unknown.api.getMe(), 401, /Unauthorized/);
});

test('a published library takes the updates of the fake in order, with its secret', async () => {
  const { fake, bot, listen, url } = await startBot();
  const seen: string[] = [];
  bot.on('message:text', ({ message, from }) => void seen.push(`${from.first_name}: ${message.text}`));
  bot.on('message:photo', ({ message }) => void seen.push(`photo ${message.caption}`));
  bot.on('edited_message:text', ({ editedMessage }) => void seen.push(`edited: ${editedMessage.text}`));
  bot.on('callback_query:data', async (context) => {
    seen.push(`button ${context.callbackQuery.data}`);
    await context.answerCallbackQuery();
  });
  bot.on(
    'message_reaction',
    ({
      messageReaction: {
        new_reaction: [reaction],
      },
    }) => {
      if (reaction?.type === 'emoji') seen.push(`reaction ${reaction.emoji}`);
    },
  );
  await listen();
  await fake.write(ada.id, { text: 'one' });
  const { message_id: messageId, ...second } = await fake.write(ada.id, { text: 'two' });
  await fake.write(ada.id, {
    caption: 'look',
    photo: [{ ...(await fake.addFile(png, 'a.png')), width: 1, height: 1 }],
  });
  await fake.update('edited_message', {
    ...second,
    message_id: messageId,
    text: 'three',
    edit_date: second.date,
  });
  await fake.press(ada.id, messageId, 'yes');
  await fake.update('message_reaction', {
    chat: second.chat,
    message_id: messageId,
    user: ada,
    date: second.date,
    old_reaction: [],
    new_reaction: [{ type: 'emoji', emoji: '👍' }],
  });
  const updates = ['Ada: one', 'Ada: two', 'photo look', 'edited: three', 'button yes', 'reaction 👍'];
  await eventually(async () => assert.deepEqual(seen, updates));
  await fake.repeatLast();
  await eventually(async () => assert.deepEqual(seen, [...updates, 'reaction 👍']));
  const { answered, pending } = await fake.read();
  assert.deepEqual([answered, pending], [[`${messageId}-yes`], 0]);
  const forged = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': 'another' },
    body: JSON.stringify({ update_id: 1, message: { ...second, message_id: 1, text: 'forged' } }),
  });
  assert.equal(forged.status, 401);
});
