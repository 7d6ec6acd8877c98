import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { startFakeModels } from '../fake-models/fake-models.ts';
import { makeVoiceNote } from '../voice-notes.ts';
import { createDeployment } from './deployment.ts';
import { contact, createLinkedBot, devicePhone, signIn, timeoutMs } from './linked-bot.ts';
import type { Partner } from './partner.ts';

/** The service, the simulated network's client and the models are separate processes. */
const fakes = await startFakeModels();
after(() => fakes.stop());
const deployment = await createDeployment();
const program = await deployment.start({
  ASSISTANT_PROVIDER: 'openai-compatible',
  MODEL_BASE_URL: `${fakes.url}/v1`,
  MODEL_LEVEL_1: 'brain',
  MODEL_VISION: 'true',
  SPEECH_PROVIDER: 'openai-compatible',
  SPEECH_BASE_URL: `${fakes.url}/v1`,
  SPEECH_MODEL: 'mouth',
  SPEECH_VOICE: 'alloy',
  TRANSCRIPTION_MODEL: 'ears',
});
const partner = await signIn(program);
await createLinkedBot(partner, { allow_user_audio_requests: true, use_audio_responses: true });

interface Received {
  id: string;
  direction: 'in' | 'out';
  kind: string;
  text: string;
}

/** Writes as the contact and returns the reply. */
async function ask(message: object): Promise<Received> {
  const query = new URLSearchParams({ contact, device: devicePhone });
  const readReplies = async (of: Partner) =>
    (await of.call<Received[]>('GET', `/simulator/messages?${query}`)).filter(
      ({ direction }) => direction === 'out',
    );
  const before = (await readReplies(partner)).length;
  await partner.call('POST', '/simulator/messages', { from: contact, to: devicePhone, ...message });
  return eventually(async () => {
    const reply = (await readReplies(partner))[before];
    assert.ok(reply);
    return reply;
  }, timeoutMs);
}

const lastAsked = async () => (await fakes.requests('brain')).at(-1)?.body.messages.at(-1).content;

test('transcribes a voice note for the model and speaks its answer', async () => {
  const spoken = makeVoiceNote(3);
  await fakes.script('ears', [{ text: 'Do you repair old bicycles?' }]);
  await fakes.script('brain', [{ text: 'Yes, until six.' }]);
  await fakes.script('mouth', [{ audio: spoken.toString('base64') }]);
  const reply = await ask({ audio_base64: makeVoiceNote(2).toString('base64') });
  assert.match(await lastAsked(), /"message":"Do you repair old bicycles\?"\}$/);
  assert.equal((await fakes.requests('mouth')).at(-1)?.body.input, 'Yes, until six.');
  assert.equal(reply.kind, 'voice');
  const query = new URLSearchParams({ contact, device: devicePhone, id: reply.id, direction: 'out' });
  const media = await fetch(`${program.simulator}/simulator/media?${query}`);
  assert.deepEqual(Buffer.from(await media.arrayBuffer()), spoken);
});

test('shows an image with its caption to the model', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
  await fakes.script('brain', [{ text: 'A red bicycle.' }]);
  await fakes.script('mouth', [{ error: { status: 503, code: 'overloaded', message: 'Overloaded' } }]);
  const reply = await ask({ image_base64: png, text: 'What is this?' });
  assert.deepEqual([reply.kind, reply.text], ['text', 'A red bicycle.']);
  const [text, image] = await lastAsked();
  assert.match(text.text, /"message":"What is this\?"\}$/);
  assert.equal(image.image_url.url, `data:image/png;base64,${png}`);
});
