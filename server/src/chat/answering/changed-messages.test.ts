import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type ChatDevice, startChatApp, startTestService } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../test/fake-models/protocol.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const model = 'shop';
const app = await startChatApp({
  environment: {
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: model,
  },
});
const { db } = app.context;

const contact = '+15550199';
const secret = 'My card is 4111 1111 1111 1111';

const say = (text: string, more: object = {}): FakeReply => ({
  toolCalls: [{ callId: 'r', tool: 'reply', arguments: JSON.stringify({ text, sources: [] }) }],
  ...more,
});

const write = (desk: ChatDevice, networkId: string, text: string, more: object = {}) =>
  app.write(desk, contact, text, { networkId, ...more });
const erase = (desk: ChatDevice, about: string, more: object = {}) =>
  app.write(desk, contact, '[deleted a message]', { details: { type: 'deletion', about }, ...more });
const edit = (desk: ChatDevice, about: string, text: string, more: object = {}) =>
  app.write(desk, contact, `[edited] ${text}`, { details: { type: 'edit', about }, ...more });

const readRequests = async () => (await fakes.requests(model)).map(({ body }) => JSON.stringify(body));

/** Returns what the model of the last request saw of the conversation. */
async function readConversation(): Promise<object[]> {
  const { messages } = (await fakes.requests(model)).at(-1)?.body ?? {};
  return messages.slice(1).flatMap(({ role, content }: { role: string; content: string }) => {
    if (role !== 'user') return [{ [role]: content }];
    return content.split('\n').map((line) => {
      const { context: _, ...said } = JSON.parse(line);
      return said;
    });
  });
}

/** Lets a worker answer until this number of replies has been sent. */
async function answer(desk: ChatDevice, replies: number, ...script: FakeReply[]): Promise<string[]> {
  await fakes.script(model, script);
  const worker = app.startAnswering();
  const sent = await app.untilReplied(desk, contact, replies);
  await worker.close();
  return sent;
}

const readMessages = async (desk: ChatDevice) => {
  const { body } = await app.api('GET', `/messages?device_id=${desk.deviceId}&direction=in`);
  return body.data.reverse();
};

const untilIdle = (desk: ChatDevice) =>
  eventually(async () => {
    const { answer_due_at, claimed_until } = await app.readConversation(desk, contact);
    assert.deepEqual([answer_due_at, claimed_until], [null, null]);
  });

describe('a message that the contact deletes', () => {
  test('before the answer is gone, and without others there is no answer', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', secret);
    await erase(desk, 'A');
    const before = (await readRequests()).length;
    const worker = app.startAnswering();
    await untilIdle(desk);
    await worker.close();
    assert.equal((await readRequests()).length, before);
    assert.equal(await app.creditsUsed(desk), 0);
    const [deleted, deletion] = await readMessages(desk);
    assert.deepEqual(
      [deleted.status, deleted.outcome, deleted.details],
      ['ignored', 'deleted', { deleted: true }],
    );
    assert.deepEqual(deletion.details, { type: 'deletion', message_id: deleted.id });
    // Later messages are answered without it.
    await write(desk, 'B', 'Hello?');
    await answer(desk, 1, say('Hi.'));
    assert.deepEqual(await readConversation(), [{ message: 'Hello?' }]);
  });

  test('among others is left out of the answer to these', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'I want a bike');
    await write(desk, 'B', secret);
    await write(desk, 'C', 'Is that possible?');
    await erase(desk, 'B');
    await answer(desk, 1, say('Yes.'));
    assert.deepEqual(await readConversation(), [
      { message: 'I want a bike' },
      { message: 'Is that possible?' },
    ]);
    assert.equal(await app.creditsUsed(desk), 1);
  });

  test('while the bot answers stops the answer, which begins again without it', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'Do you take cards?');
    await write(desk, 'B', secret);
    await fakes.script(model, [say('You wrote 4111.', { delayMs: 60_000 }), say('Yes, we do.')]);
    const before = (await readRequests()).length;
    const worker = app.startAnswering({ leaseSeconds: 1 });
    await eventually(async () => assert.equal((await readRequests()).length, before + 1));
    await erase(desk, 'B');
    assert.deepEqual(await app.untilReplied(desk, contact), ['Yes, we do.']);
    await worker.close();
    assert.deepEqual(await readConversation(), [{ message: 'Do you take cards?' }]);
    assert.equal(await app.creditsUsed(desk), 1);
  });

  test('after the answer is not sent to the model again, nor are calls with its values, nor a quote of it', async () => {
    const service = await startTestService((_, response) => response.end('{"charged":true}'));
    const desk = await app.addDevice({
      actions: [
        {
          name: 'Charge',
          endpoint: `${service.url}/charge`,
          method: 'POST',
          body: [{ key: 'card', value: '{{card}}' }],
        },
      ],
    });
    await write(desk, 'A', secret);
    await answer(
      desk,
      1,
      { toolCalls: [{ callId: 'c', tool: 'Charge', arguments: '{"card":"4111 1111 1111 1111"}' }] },
      say('It is charged.'),
    );
    await erase(desk, 'A');
    await write(desk, 'B', 'This one', { details: { replyTo: 'A' } });
    await answer(desk, 2, say('Fine.'));
    assert.deepEqual(await readConversation(), [
      { message: null, deleted: true },
      { assistant: 'It is charged.' },
      { message: 'This one', reply_to: { from: 'contact', kind: 'text', text: '' } },
    ]);
    assert.doesNotMatch((await readRequests()).at(-1) ?? '', /4111/);
  });

  test('does not stop an answer that has called an action', async () => {
    const called = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const service = await startTestService(async (_, response) => {
      called.resolve();
      await finish.promise;
      response.end('{"booked":true}');
    });
    const desk = await app.addDevice({
      actions: [{ name: 'Book', endpoint: `${service.url}/book`, method: 'POST' }],
    });
    await write(desk, 'A', 'Book a bike');
    await fakes.script(model, [
      { toolCalls: [{ callId: 'b', tool: 'Book', arguments: '{}' }] },
      say('It is booked.'),
    ]);
    const worker = app.startAnswering();
    await called.promise;
    await erase(desk, 'A');
    finish.resolve();
    assert.deepEqual(await app.untilReplied(desk, contact), ['It is booked.']);
    await worker.close();
    assert.equal(service.requests.length, 1);
    const [deleted] = await readMessages(desk);
    assert.deepEqual([deleted.outcome, deleted.details], ['answered', { deleted: true }]);
  });

  test('can only be their own', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'When do you open?');
    await answer(desk, 1, say('At nine.'));
    const { network_id: ours } = await db
      .selectFrom('messages')
      .select('network_id')
      .where('device_id', '=', desk.deviceId)
      .where('direction', '=', 'out')
      .executeTakeFirstOrThrow();
    await erase(desk, ours);
    await write(desk, 'B', 'Really?');
    await answer(desk, 2, say('Yes.'));
    assert.deepEqual(await readConversation(), [
      { message: 'When do you open?' },
      { assistant: 'At nine.' },
      { message: 'Really?' },
    ]);
    // A person deletes it on the linked phone, which also pauses the bot.
    await erase(desk, ours, { fromMe: true });
    await app.api('POST', `/conversations/${(await app.readConversation(desk, contact)).id}/resume`);
    await write(desk, 'C', 'And now?');
    // The deletion is a message of the phone.
    await answer(desk, 4, say('Now, too.'));
    assert.doesNotMatch(JSON.stringify(await readConversation()), /nine/);
  });
});

describe('a message that the contact edits', () => {
  test('before the answer has the new text, in its place, for one answer', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'I need size 40');
    await write(desk, 'B', 'Do you have it?');
    await edit(desk, 'A', 'I need size 42');
    await edit(desk, 'A', 'I need size 44');
    await answer(desk, 1, say('We do.'));
    assert.deepEqual(await readConversation(), [
      { message: 'I need size 44' },
      { message: 'Do you have it?' },
    ]);
    const [edited, , first] = await readMessages(desk);
    assert.deepEqual(
      [edited.text, edited.outcome, edited.details],
      ['I need size 44', 'answered', { original_text: 'I need size 40' }],
    );
    assert.deepEqual(first.details, { type: 'edit', message_id: edited.id, applied: true });
    await write(desk, 'C', 'Thanks');
    await answer(desk, 2, say('Welcome.'));
    assert.doesNotMatch((await readRequests()).at(-1) ?? '', /size 4[02]/);
    assert.equal((await readRequests()).at(-1)?.match(/size 44/g)?.length, 1);
  });

  test('while the bot answers stops the answer, which begins again with the new text', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'Size 40, please');
    await fakes.script(model, [say('Size 40 is sold out.', { delayMs: 60_000 }), say('Size 44 is here.')]);
    const before = (await readRequests()).length;
    const worker = app.startAnswering({ leaseSeconds: 1 });
    await eventually(async () => assert.equal((await readRequests()).length, before + 1));
    await edit(desk, 'A', 'Size 44, please');
    assert.deepEqual(await app.untilReplied(desk, contact), ['Size 44 is here.']);
    await worker.close();
    assert.deepEqual(await readConversation(), [{ message: 'Size 44, please' }]);
  });

  test('after the answer gets another answer, and the model sees the new text once', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'Size 40, please');
    await answer(desk, 1, say('It is sold out.'));
    await edit(desk, 'A', 'Size 42, please');
    await answer(desk, 2, say('Also sold out.'));
    await edit(desk, 'A', 'Size 44, please');
    await answer(desk, 3, say('Size 44 is here.'));
    assert.deepEqual(await readConversation(), [
      { message: null, corrected_later: true },
      { assistant: 'It is sold out.' },
      { message: null, corrected_later: true },
      { assistant: 'Also sold out.' },
      { message: 'Size 44, please' },
    ]);
    await erase(desk, 'A');
    await write(desk, 'B', 'Never mind');
    await answer(desk, 4, say('Fine.'));
    assert.doesNotMatch((await readRequests()).at(-1) ?? '', /please/);
  });

  test('is a new message if Parley does not have the old one', async () => {
    const desk = await app.addDevice();
    await edit(desk, 'from before the link', 'Size 44, please');
    await answer(desk, 1, say('Here.'));
    assert.deepEqual(await readConversation(), [{ message: 'Size 44, please' }]);
  });
});

describe('a reply to a message', () => {
  test('shows the model what it quotes, and who wrote that', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', 'Which bikes do you have?');
    await answer(desk, 1, say('The red one and the blue one.'));
    const { network_id: ours } = await db
      .selectFrom('messages')
      .select('network_id')
      .where('device_id', '=', desk.deviceId)
      .where('direction', '=', 'out')
      .executeTakeFirstOrThrow();
    await app.write(
      desk,
      contact,
      { kind: 'image', mimeType: 'image/png', bytes: Buffer.from('png'), caption: '' },
      { networkId: 'P' },
    );
    const quoted = { kind: 'text' as const, text: 'From last year' };
    await write(desk, 'B', 'This one', { details: { replyTo: ours } });
    await write(desk, 'C', 'or this', { details: { replyTo: 'P' } });
    await write(desk, 'D', 'or that', { details: { replyTo: 'unknown', quoted } });
    await write(desk, 'E', 'or what?', { details: { replyTo: 'unknown too' } });
    await answer(desk, 2, say('As you like.'));
    assert.deepEqual((await readConversation()).slice(-4), [
      {
        message: 'This one',
        reply_to: { from: 'business', kind: 'text', text: 'The red one and the blue one.' },
      },
      { message: 'or this', reply_to: { from: 'contact', kind: 'image', text: '' } },
      { message: 'or that', reply_to: { from: 'unknown', ...quoted } },
      { message: 'or what?', reply_to: { from: 'unknown', kind: 'text', text: '' } },
    ]);
  });

  test('shows at most 500 characters of it', async () => {
    const desk = await app.addDevice();
    await write(desk, 'A', '🚲'.repeat(2000));
    await write(desk, 'B', 'This one', { details: { replyTo: 'A' } });
    await answer(desk, 1, say('Yes.'));
    assert.partialDeepStrictEqual((await readConversation()).at(-1), {
      reply_to: { text: '🚲'.repeat(500) },
    });
  });
});

test('the composer without a model answers what the contact did last', async () => {
  const embedded = await startChatApp();
  const desk = await embedded.addDevice({
    questions: [
      { question: 'When do you open?', answer: 'At nine.' },
      { question: 'Where are you?', answer: 'At Quay Street 7.' },
    ],
  });
  const said = (text: string, networkId: string, details?: object) =>
    embedded.write(desk, contact, text, { networkId, ...(details && { details }) });
  await said('When do you open?', 'A');
  await said('Hello', 'B');
  await said('[deleted a message]', 'C', { type: 'deletion', about: 'A' });
  await said('[edited] Where are you?', 'D', { type: 'edit', about: 'B' });
  embedded.startAnswering();
  assert.deepEqual(await embedded.untilReplied(desk, contact), ['At Quay Street 7.']);
  await said('[edited] When do you open?', 'E', { type: 'edit', about: 'B' });
  assert.deepEqual((await embedded.untilReplied(desk, contact, 2)).at(-1), 'At nine.');
});
