import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addBot } from '../../../test/bots.ts';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createActionCaller } from './call-action.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const disclosure = { mode: 'first_reply' } as const;
/** The first message, and then one after the other. */
const mostMessages = 12;

/** Bots that answer their contacts through simulated phones, by words or with a model. */
async function startBots(environment: Record<string, string> = {}) {
  const app = await startDevicesApp({ environment });
  await app.startPool();
  const bots = createTestBots(app.context);
  const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
  const chats = createChats({ ...app, bots, callAction });
  chats.startAnswering({ disclosure });
  return {
    ...app,
    chats,
    async addDesk(bot: object, replyDelay = 0) {
      const { teamId } = await addTeamWithBot(app.context.db);
      const settings = { reply_delay_seconds: replyDelay };
      assert.equal((await app.api('PATCH', `/teams/${teamId}`, { body: { settings } })).status, 200);
      const { id: botId } = await addBot(app, teamId, bot);
      assert.equal((await app.api('POST', `/bots/${botId}/publish`)).status, 200);
      const ids = { teamId, botId };
      const [deviceId, phone] = [await addDevice(app, ids), newPhone()];
      await linkDevice(app, deviceId, phone);
      return { ...ids, deviceId, phone };
    },
  };
}

type Bots = Awaited<ReturnType<typeof startBots>>;
type Desk = Awaited<ReturnType<Bots['addDesk']>>;

/** Resolves with the number of messages once all have an outcome and the bot took the contact for a machine. */
const untilStopped = (
  { chats }: Bots,
  sides: readonly (readonly [desk: Desk, contact: string])[],
  between: () => Promise<void> = async () => {},
): Promise<number> =>
  eventually(async () => {
    await between();
    const sideChats = await Promise.all(sides.map(([desk, contact]) => chats.readChat(desk, contact)));
    const chat = sideChats.find((messages) => messages.at(-1)?.status === 'ignored') ?? [];
    assert.ok(
      chat.length > 0 && chat.every(({ status }) => !['queued', 'pending', 'received'].includes(status)),
    );
    return chat.length;
  }, 60_000);

/** Resolves with the number of messages that two bots wrote to each other, which the network delivers. */
async function countMessages(bots: Bots, one: Desk, other: Desk): Promise<number> {
  const body = {
    device_id: one.deviceId,
    destination_number: other.phone,
    message: 'Good morning! Do you have a minute for me?',
  };
  assert.equal((await bots.api('POST', '/send', { body })).status, 200);
  return untilStopped(bots, [
    [one, other.phone],
    [other, one.phone],
  ]);
}

const hours = [{ question: 'When do you open?', answer: 'We open at nine, every day of the week.' }];
const byWords = await startBots();

test('two bots that answer by words stop, also with a delay', async () => {
  const pairs = [
    [await byWords.addDesk({ questions: hours }), await byWords.addDesk({ questions: hours })],
    [await byWords.addDesk({ questions: hours }, 1), await byWords.addDesk({ instructions: 'Be kind.' }, 1)],
  ] as const;
  const counts = await Promise.all(pairs.map(([one, other]) => countMessages(byWords, one, other)));
  for (const count of counts) assert.ok(count <= mostMessages, `${counts}`);
});

test('two bots with a model stop, whether it repeats itself or not', async () => {
  const bots = await startBots({
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: 'same',
    MODEL_LEVEL_2: 'new',
  });
  const words = ['tandem', 'helmet', 'brake', 'saddle', 'basket', 'pump', 'wheel', 'chain', 'lamp', 'lock'];
  const texts = [...words, ...words.toReversed()].map(
    (word, n) => `About the ${word}: which ${words[(n * 7) % 10]} would you like to see first, and when?`,
  );
  await fakes.script(
    'new',
    texts.map((text) => ({ text })),
  );
  const addPair = async (level: number) =>
    [
      await bots.addDesk({ chat_model_level: level }),
      await bots.addDesk({ chat_model_level: level }),
    ] as const;
  const pairs = [await addPair(1), await addPair(2)];
  const counts = await Promise.all(pairs.map(([one, other]) => countMessages(bots, one, other)));
  for (const count of counts) assert.ok(count <= mostMessages, `${counts}`);
});

test('a bot stops to answer a contact that answers each message with the same text', async () => {
  const [desk, contact] = [await byWords.addDesk({ questions: hours }), newPhone()];
  const write = (text: string) => byWords.network.write({ from: contact, to: desk.phone, text });
  await write('Hello');
  let replied = 0;
  const reply = async () => {
    const { length } = await byWords.network.received(contact, desk.phone);
    for (; replied < length; replied += 1)
      await write('Thank you! We are closed and will write to you tomorrow.');
  };
  const count = await untilStopped(byWords, [[desk, contact]], reply);
  assert.ok(count <= mostMessages, `${count}`);
});
