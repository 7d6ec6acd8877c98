import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../test/fake-models/protocol.ts';
import { makeVoiceNote, voiceNote } from '../../../test/voice-notes.ts';
import type { MessageContent } from '../../ports/messaging-network/messaging-network.ts';
import { ProviderError } from '../../ports/provider-error.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const contact = '+15550199';
let apps = 0;
let failingSteps = 0;

/** Starts an app whose bots listen and speak with models of its own. */
async function startSpeaking() {
  apps += 1;
  const models = { ears: `ears-${apps}`, mouth: `mouth-${apps}` };
  const app = await startChatApp({
    environment: {
      SPEECH_PROVIDER: 'openai-compatible',
      SPEECH_BASE_URL: `${fakes.url}/v1`,
      SPEECH_API_KEY: 'key',
      SPEECH_MODEL: models.mouth,
      SPEECH_VOICE: 'alloy',
      TRANSCRIPTION_MODEL: models.ears,
    },
    provider: (real) => ({
      ...real,
      step(turn, signal) {
        failingSteps -= 1;
        if (failingSteps >= 0) return Promise.reject(new ProviderError('transient', 'overloaded'));
        return real.step(turn, signal);
      },
    }),
  });
  return {
    ...app,
    hears: (...replies: FakeReply[]) => fakes.script(models.ears, replies),
    says: (...replies: FakeReply[]) => fakes.script(models.mouth, replies),
    heard: () => fakes.requests(models.ears),
    said: () => fakes.requests(models.mouth),
  };
}

const app = await startSpeaking();
const { db } = app.context;

const bot = {
  allow_user_audio_requests: true,
  questions: [
    { question: 'When do you open?', answer: 'We open at nine.' },
    { question: '¿Cuándo abren la tienda?', answer: 'Abrimos a las nueve.' },
  ],
};

/** Returns the reply to one message. */
async function replyTo(desk: ChatDevice, content: string | MessageContent, on = app): Promise<string> {
  await on.write(desk, contact, content);
  const worker = on.startAnswering();
  const [reply = ''] = await on.untilReplied(desk, contact);
  await worker.close();
  return reply;
}

const skipEarlierAttempts = (desk: ChatDevice) =>
  sql`update conversations set attempts = 2 where device_id = ${desk.deviceId}`.execute(db);

const unavailable: FakeReply = { error: { status: 503, code: 'overloaded', message: 'Overloaded' } };

test('answers a voice note in the language of the contact and stores its words', async () => {
  const desk = await app.addDevice(bot);
  await app.hears({ text: ' ¿Cuándo abren la tienda?\0 ' });
  assert.equal(await replyTo(desk, voiceNote(2)), 'Abrimos a las nueve.');
  const [received] = await app.readChat(desk, contact);
  assert.deepEqual([received?.kind, received?.text], ['voice', '¿Cuándo abren la tienda?']);
  assert.equal(await app.readOutcome(desk, contact), 'answered');
  const sent = (await app.heard()).at(-1);
  assert.equal(sent?.body.bytes, makeVoiceNote(2).length);
  assert.equal(sent?.body.file.name, 'audio.ogg');
});

test('transcribes a voice note once, although the model fails after it', async () => {
  const desk = await app.addDevice(bot);
  await app.hears({ text: 'When do you open?' });
  const before = (await app.heard()).length;
  failingSteps = 1;
  assert.equal(await replyTo(desk, voiceNote(1)), 'We open at nine.');
  assert.equal((await app.heard()).length, before + 1);
});

test('transcribes later when the provider is busy', async () => {
  const desk = await app.addDevice(bot);
  await app.hears(unavailable, { text: 'When do you open?' });
  assert.equal(await replyTo(desk, voiceNote(1)), 'We open at nine.');
});

test('asks for text after three failures of the provider, and reports them as the outcome', async () => {
  const desk = await app.addDevice(bot);
  await app.hears(unavailable);
  await app.write(desk, contact, voiceNote(1));
  await skipEarlierAttempts(desk);
  const worker = app.startAnswering();
  assert.match((await app.untilReplied(desk, contact))[0] ?? '', /I could not understand/);
  await worker.close();
  assert.equal(await app.readOutcome(desk, contact), 'provider_failed: transient');
  assert.equal(await app.creditsUsed(desk), 0);
});

test('asks for text at once when the key is refused, and stops sending audio', async () => {
  const refused = await startSpeaking();
  await refused.hears({ error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } });
  for (let turn = 0; turn < 2; turn += 1) {
    const desk = await refused.addDevice(bot);
    assert.match(await replyTo(desk, voiceNote(1), refused), /I could not understand/);
    assert.equal(await refused.readOutcome(desk, contact), 'provider_failed: auth');
  }
  assert.equal((await refused.heard()).length, 1);
});

test('sends no audio of a bot that may not listen', async () => {
  const desk = await app.addDevice({ ...bot, allow_user_audio_requests: false });
  const before = (await app.heard()).length;
  assert.match(await replyTo(desk, voiceNote(1)), /I can only read text/);
  assert.equal(await app.readOutcome(desk, contact), 'audio_not_allowed');
  assert.equal((await app.heard()).length, before);
});

test('sends no audio that is too long or too large, whatever length it states', async () => {
  const large = { ...voiceNote(1), bytes: Buffer.alloc(4 * 1024 * 1024 + 1) };
  const before = (await app.heard()).length;
  for (const content of [voiceNote(1, { stated: 601 }), voiceNote(601, { stated: 1 }), large]) {
    const desk = await app.addDevice(bot);
    assert.match(await replyTo(desk, content), /I could not understand/);
    assert.equal(await app.readOutcome(desk, contact), 'unsupported_content');
  }
  assert.equal((await app.heard()).length, before);
});

test('answers the text beside a voice note that it may not transcribe', async () => {
  const desk = await app.addDevice({ ...bot, allow_user_audio_requests: false });
  await app.write(desk, contact, voiceNote(1));
  assert.equal(await replyTo(desk, 'When do you open?'), 'We open at nine.');
  assert.equal(await app.readOutcome(desk, contact), 'audio_not_allowed');
});

test("speaks an answer with the provider's own Opus, its length and its waveform", async () => {
  const desk = await app.addDevice({ ...bot, use_audio_responses: true });
  const spoken = makeVoiceNote(3);
  await app.says({ audio: spoken.toString('base64') });
  assert.equal(await replyTo(desk, 'When do you open?'), 'We open at nine.');
  const [, reply] = await app.readChat(desk, contact);
  assert.equal(reply?.kind, 'voice');
  const media = await db
    .selectFrom('message_media')
    .innerJoin('messages', 'messages.id', 'message_media.message_id')
    .select(['bytes', 'seconds', 'waveform', 'message_media.mime_type'])
    .where('device_id', '=', desk.deviceId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(media.bytes, spoken);
  assert.deepEqual([media.seconds, media.mime_type], [3, 'audio/ogg; codecs=opus']);
  assert.equal(media.waveform?.length, 64);
  const { body } = (await app.said()).at(-1) ?? {};
  assert.deepEqual([body.input, body.voice, body.response_format], ['We open at nine.', 'alloy', 'opus']);
});

test('sends the answer as text when it cannot be spoken', async () => {
  const desk = await app.addDevice({ ...bot, use_audio_responses: true });
  await app.says(unavailable);
  assert.equal(await replyTo(desk, 'When do you open?'), 'We open at nine.');
  assert.equal((await app.readChat(desk, contact))[1]?.kind, 'text');
});
