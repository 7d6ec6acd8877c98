import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { startFakeTelegram } from '../fake-telegram/fake-telegram.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';

const rounds = repetitions(1, 5);
/** Before the call that sends an answer, or after it is known to have arrived. */
const points = ['inbox.after_store', 'inbox.after_receive', 'inbound.after_commit', 'outbox.after_settle'];
/** The answer may have arrived, and nobody will know. */
const unknownPoints = ['answer.after_commit', 'outbox.after_claim', 'outbox.after_wire'];
const longMs = 60_000;
const firstUser = 5000;

const telegram = await startFakeTelegram();
after(() => telegram.stop());
const database = await createTestDatabase();
after(() => database.drop());
const network = await startTestNetwork();
after(() => network.close());
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key } = await startApiOn(oracle);

const processes = await serverProcesses({
  ROLES: 'api,pool,worker',
  DATABASE_URL: database.url,
  SIMULATOR_URL: network.url,
  MESSAGING_NETWORK: 'simulator,telegram',
  TELEGRAM_BASE_URL: telegram.url,
  BASE_URL: 'http://127.0.0.1:9',
  LEASE_SECONDS: '1',
  RATE_LIMIT_PER_MINUTE: '0',
});
let server: ServerProcess = await processes.start();
const call = createCaller(
  () => server.url,
  () => key.token,
);
const { teamId, botId } = await createPartnerFixture(call, network);
const users = Array.from({ length: 100 }, (_, index) => ({ id: firstUser + index, first_name: 'Ada' }));
const bot = await telegram.createBot(users);
const created = await call('POST', '/devices', {
  team_id: teamId,
  bot_id: botId,
  name: 'Bot',
  network: 'telegram',
});
const deviceId: string = created?.body.data.id;
await call('PUT', `/devices/${deviceId}/credentials`, { bot_token: bot.token });
await bot.proxy(server.url);
await call('POST', `/devices/${deviceId}/connect`);

const restart = async (environment: Record<string, string> = {}) => {
  await server.kill();
  // The process may reach the point before it is ready.
  server = await processes.start(environment).catch(() => processes.start());
  await bot.proxy(server.url);
};

let usedUsers = 0;
const question = 'When do you open?';

/** Writes as a new person while the process ends at the point, and starts it again. Returns the person. */
async function writeWhileKilled(point: string): Promise<number> {
  const user = firstUser + usedUsers;
  usedUsers += 1;
  await restart({ FAULT_POINT: point });
  await bot.write(user, { text: question });
  await Promise.race([
    server.ended,
    eventually(async () => assert.equal((await listChat(user)).at(-1), 'sent'), longMs),
  ]);
  await restart();
  return user;
}

const answersTo = async (user: number): Promise<string[]> =>
  (await bot.read()).sent.filter(({ chatId }) => chatId === user).map(({ message }) => message.text);

async function listChat(user: number) {
  const query = new URLSearchParams({ device_id: deviceId, contact_number: `tg:${user}` });
  const response = await call('GET', `/messages?${query}`);
  const messages = (response?.body.data ?? []) as { direction: string; text: string; status: string }[];
  return messages.toReversed().map(({ direction, status, text }) => (direction === 'in' ? text : status));
}

for (const signal of ['', ':SIGTERM']) {
  const name = signal === '' ? 'SIGKILL' : 'SIGTERM';

  test(`every update is stored and answered once, wherever the process gets ${name}`, async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const point of points) {
        const user = await writeWhileKilled(`${point}${signal}`);
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
        const user = await writeWhileKilled(`${point}${signal}`);
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
