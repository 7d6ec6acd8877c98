import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDecoder } from 'libopus-wasm';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { ProviderError } from '../provider-error.ts';
import { isOggOpus, readPackets, readSeconds, writeOggOpus } from './ogg-opus.ts';
import { createOpenAiCompatibleSpeech } from './openai-compatible.ts';
import type { Audio } from './speech.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const { signal } = new AbortController();

const speech = createOpenAiCompatibleSpeech({ baseUrl: `${fakes.url}/v1`, apiKey: 'key' });
const speechWith = (model: string) => ({
  synthesize: (text: string) => speech.synthesize(text, { model, voice: 'alloy' }, signal),
  transcribe: (audio: Audio) => speech.transcribe(audio, model, signal),
});

/** 16-bit mono, loud in the second half. */
function makeWav(seconds: number, sampleRate: number): Buffer {
  const count = seconds * sampleRate;
  const data = Buffer.alloc(count * 2);
  for (let index = 0; index < count; index += 1) {
    const volume = index < count / 2 ? 1000 : 20_000;
    data.writeInt16LE(Math.round(volume * Math.sin((index * 2 * Math.PI * 440) / sampleRate)), index * 2);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

const noOpus = { status: 400, code: 'invalid_request_error', message: 'response_format opus is unknown' };

test('converts WAV to a voice note with its length and waveform if the provider has no Opus', async () => {
  await fakes.script('wav-only', [{ error: noOpus }, { audio: makeWav(3, 24_000).toString('base64') }]);
  const note = await speechWith('wav-only').synthesize('Good morning.');
  assert.ok(isOggOpus(note.bytes));
  assert.ok(Math.abs(note.seconds - 3) < 0.05, String(note.seconds));
  assert.equal(note.waveform.length, 64);
  assert.ok((note.waveform[10] ?? 0) < 10 && (note.waveform[50] ?? 0) > 80, String(note.waveform));
  const decoder = await createDecoder({ channels: 1 });
  const frames = decoder.decodeFloatFrames(readPackets(note.bytes));
  assert.ok(Math.abs(frames.reduce((sum, { length }) => sum + length, 0) / 48_000 - 3) < 0.05);
  const sent = await fakes.requests('wav-only');
  assert.deepEqual(
    sent.map(({ body }) => [body.input, body.voice, body.response_format]),
    [
      ['Good morning.', 'alloy', 'opus'],
      ['Good morning.', 'alloy', 'wav'],
    ],
  );
});

test("keeps the provider's own Opus", async () => {
  await fakes.script('source', [{ audio: makeWav(2, 48_000).toString('base64') }]);
  const { bytes } = await speechWith('source').synthesize('Hello');
  await fakes.script('opus', [{ audio: Buffer.from(bytes).toString('base64') }]);
  const note = await speechWith('opus').synthesize('Hello');
  assert.deepEqual(Buffer.from(note.bytes), Buffer.from(bytes));
  assert.ok(Math.abs(note.seconds - 2) < 0.05, String(note.seconds));
  assert.ok((note.waveform[50] ?? 0) > 80);
});

test('transcribes a voice note', async () => {
  await fakes.script('ears', [{ text: 'When do you open?' }]);
  const bytes = makeWav(1, 16_000);
  const text = await speechWith('ears').transcribe({ bytes, mimeType: 'audio/ogg; codecs=opus' });
  assert.equal(text, 'When do you open?');
  const [sent] = await fakes.requests('ears');
  assert.equal(sent?.body.bytes, bytes.length);
});

test('reports other sounds, refused keys and limits as provider errors', async () => {
  await fakes.script('broken', [
    { audio: Buffer.from('ID3 mp3').toString('base64') },
    { error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } },
    { error: { status: 429, code: 'rate_limit', message: 'Slow down', retryAfter: '3' } },
    { audio: makeWav(1, 8000).subarray(0, 40).toString('base64') },
  ]);
  for (const kind of ['transient', 'auth', 'rate_limited', 'transient']) {
    await assert.rejects(
      speechWith('broken').synthesize('x'),
      (error) => error instanceof ProviderError && error.kind === kind,
    );
  }
});

test('names the file of a transcription after its type, and reports refused audio as such', async () => {
  await fakes.script('strict', [{ error: { status: 400, code: 'invalid_value', message: 'Invalid file' } }]);
  await assert.rejects(
    speechWith('strict').transcribe({ bytes: Buffer.from('noise'), mimeType: 'audio/ogg; codecs=opus' }),
    (error) => error instanceof ProviderError && error.kind === 'refused',
  );
  const [sent] = await fakes.requests('strict');
  assert.equal(sent?.body.file.name, 'audio.ogg');
});

test('measures how long Ogg Opus plays by its packets, not by its time stamps', async () => {
  await fakes.script('seconds', [{ audio: makeWav(2, 48_000).toString('base64') }]);
  const { bytes } = await speechWith('seconds').synthesize('Hello');
  assert.ok(Math.abs(readSeconds(bytes) - 2) < 0.05, String(readSeconds(bytes)));
  const packets = readPackets(bytes);
  assert.equal(readSeconds(writeOggOpus(packets, 1)), readSeconds(bytes));
  // Packets of three frames of 60 ms: configuration 3, code 3.
  const long = Array.from({ length: 1000 }, () => Uint8Array.of((3 << 3) | 3, 3));
  assert.equal(readSeconds(writeOggOpus(long, 1)), 180);
  assert.throws(() => readSeconds(bytes.subarray(0, bytes.length - 10)), RangeError);
});

test('measures a hostile file of empty packets without blocking the process', () => {
  const page = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(22), Buffer.from([255]), Buffer.alloc(255)]);
  const file = Buffer.concat(Array.from({ length: 14_000 }, () => page));
  const startedAt = performance.now();
  assert.equal(readSeconds(file), 0);
  // Reading each page once per packet would take minutes.
  assert.ok(performance.now() - startedAt < 10_000);
});
