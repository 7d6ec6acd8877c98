import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addTeam } from '../../../server/test/bots.ts';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';
const opening = { question: 'When do you open?', answer: 'We open at nine.' };
const greeting = 'Welcome to Harbour Rentals!';

describe('messages of the linked phone', { timeout: 240_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  const { db } = context;
  await rig.startPool({ ROLES: 'pool,worker' });

  /** The bot answers after the delay, or when the test makes the answer due. */
  const link = async (delaySeconds: number) => {
    const teamId = await addTeam(context);
    const settings = JSON.stringify({ reply_delay_seconds: delaySeconds });
    await sql`update teams set settings = ${settings}::jsonb where id = ${teamId}`.execute(db);
    const { id: botId } = await addBot(rig, teamId, { questions: [opening] });
    assert.equal((await rig.api('POST', `/bots/${botId}/publish`)).status, 200);
    const phone = newPhone();
    return { phone, device: await rig.link(phone, { teamId, botId }) };
  };
  const list = async (path: string) => (await rig.api('GET', path)).body.data;
  const readTexts = async (phone: string) => (await fake.received(contact, phone)).map(({ text }) => text);
  const waitForMessages = (device: string, count: number) =>
    eventually(async () => {
      const messages = await list(`/messages?device_id=${device}`);
      assert.equal(messages.length, count);
      return messages.toReversed();
    });
  const waitForConversation = async (device: string) => {
    const [conversation] = await list(`/conversations?device_id=${device}`);
    return conversation;
  };

  test('let the bot answer after the greeting of the Business app', async () => {
    const { phone, device } = await link(2);
    await fake.describe(phone, { greeting });
    await fake.describe(contact, { name: 'Inés 🚲' });
    await fake.write({ from: contact, to: phone, text: opening.question });
    await eventually(async () => assert.match((await readTexts(phone)).join('\n'), /We open at nine/));
    const { state, contact: shown } = await waitForConversation(device);
    assert.equal(state, 'bot');
    assert.equal(shown.name, 'Inés 🚲');
    const sent = (await waitForMessages(device, 3)).find(
      ({ origin }: { origin: string }) => origin === 'person',
    );
    assert.deepEqual([sent.text, sent.details], [greeting, { automatic: true }]);
  });

  test('leave the question open after a reaction, an edit and a deletion, and pause the bot after words', async () => {
    const { phone, device } = await link(60);
    const own = { from: phone, to: contact };
    const mine = await fake.write({ ...own, text: 'We are at the harbour' });
    await waitForMessages(device, 1);
    const { id } = await waitForConversation(device);
    assert.equal((await rig.api('POST', `/conversations/${id}/resume`)).status, 200);
    const asked = await fake.write({ from: contact, to: phone, text: opening.question });
    await fake.writeContent(own, { reactionMessage: { key: { id: asked }, text: '👍' } });
    const editedMessage = { conversation: 'We are at the old harbour' };
    await fake.writeContent(own, { protocolMessage: { key: { id: mine }, type: 14, editedMessage } });
    await fake.writeContent(own, { protocolMessage: { key: { id: mine }, type: 0 } });
    const messages = await waitForMessages(device, 5);
    assert.equal(messages[1].outcome, 'waiting');
    assert.equal((await waitForConversation(device)).state, 'bot');
    await fake.write({ ...own, text: 'I take over' });
    await eventually(async () => assert.equal((await waitForConversation(device)).state, 'paused'));
  });
});
