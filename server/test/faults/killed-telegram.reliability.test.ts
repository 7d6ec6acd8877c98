import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { startFakeTelegram } from '../fake-telegram/fake-telegram.ts';
import { longMs, signals, startPushedNetwork } from './pushed-network.ts';
import { repetitions } from './repetitions.ts';

const rounds = repetitions(1, 5);
/** Before the call that sends an answer, or after it is known to have arrived. */
const points = ['inbox.after_store', 'inbox.after_receive', 'inbound.after_commit', 'outbox.after_settle'];
/** The answer may have arrived, and nobody will know. */
const unknownPoints = ['answer.after_commit', 'outbox.after_claim', 'outbox.after_wire'];
const firstUser = 5000;

const telegram = await startFakeTelegram();
after(() => telegram.stop());
const {
  call,
  deviceId,
  url,
  ended,
  restart: restartProcess,
  listChat: listMessages,
} = await startPushedNetwork('telegram', {
  TELEGRAM_BASE_URL: telegram.url,
  BASE_URL: 'http://127.0.0.1:9',
});
const users = Array.from({ length: 100 }, (_, index) => ({ id: firstUser + index, first_name: 'Ada' }));
const bot = await telegram.createBot(users);
await call('PUT', `/devices/${deviceId}/credentials`, { bot_token: bot.token });
await bot.proxy(url());
await call('POST', `/devices/${deviceId}/connect`);

const restart = async (faultPoint?: string) => {
  await restartProcess(faultPoint);
  await bot.proxy(url());
};

let usedUsers = 0;
const question = 'When do you open?';

/** Writes as a new person while the process ends at the point, and starts it again. Returns the person. */
async function writeWhileKilled(point: string): Promise<number> {
  const user = firstUser + usedUsers;
  usedUsers += 1;
  await restart(point);
  await bot.write(user, { text: question });
  await Promise.race([
    ended(),
    eventually(async () => assert.equal((await listChat(user)).at(-1), 'sent'), longMs),
  ]);
  await restart();
  return user;
}

const answersTo = async (user: number): Promise<string[]> =>
  (await bot.read()).sent.filter(({ chatId }) => chatId === user).map(({ message }) => message.text);

/** The texts of the person and the statuses of the answers. */
const listChat = async (user: number): Promise<string[]> =>
  (await listMessages(`tg:${user}`)).map(({ direction, status, text }) =>
    direction === 'in' ? text : status,
  );

for (const { name, suffix } of signals) {
  test(`every update is stored and answered once, wherever the process gets ${name}`, async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const point of points) {
        const user = await writeWhileKilled(`${point}${suffix}`);
        await eventually(
          async () => assert.deepEqual(await listChat(user), [question, 'sent'], point),
          longMs,
        );
        await bot.repeatLast();
        await bot.write(user, { text: 'Do you rent tandems?' });
        await eventually(
          async () =>
            assert.deepEqual(await listChat(user), [question, 'sent', 'Do you rent tandems?', 'sent'], point),
          longMs,
        );
        assert.equal((await answersTo(user)).length, 2, point);
      }
  });

  test(`an answer is never sent twice, although nobody knows whether it arrived before ${name}`, async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const point of unknownPoints) {
        const user = await writeWhileKilled(`${point}${suffix}`);
        await bot.write(user, { text: 'Do you rent tandems?' });
        await eventually(async () => {
          const [first, , second, answer] = await listChat(user);
          assert.deepEqual([first, second, answer], [question, 'Do you rent tandems?', 'sent'], point);
        }, longMs);
        const { length } = await answersTo(user);
        assert.ok(
          length === 2 || (length === 1 && point === 'outbox.after_claim'),
          `${point}: ${length} answers`,
        );
      }
  });
}
