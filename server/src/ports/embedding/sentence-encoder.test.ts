import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { multiplyVectors } from '../../knowledge/search/vectors.ts';
import { createSentenceEncoder } from './sentence-encoder.ts';

const warnings: object[] = [];
const logger = { warn: (data: object) => void warnings.push(data) };

test('encodes texts of the same meaning as near vectors of length 1', async () => {
  const encode = createSentenceEncoder(logger);
  const texts = [
    'my card was stolen',
    'Someone took my credit card',
    'how is the weather',
    '',
    '日本 '.repeat(900),
  ];
  const [card, other, weather, empty, long] = await Promise.all(texts.map((text) => encode(text, 'english')));
  assert.ok(card && other && weather && empty && long);
  for (const vector of [card, other, weather, empty, long])
    assert.ok(Math.abs(multiplyVectors(vector, vector) - 1) < 1e-4);
  assert.ok(multiplyVectors(card, other) > multiplyVectors(card, weather) + 0.2);
});

test('reads English only', async () => {
  assert.equal(await createSentenceEncoder(logger)('me robaron la tarjeta', 'spanish'), null);
});

test('rejects and logs a warning if its thread fails', async () => {
  const broken = new URL('data:text/javascript,throw new Error("no weights")');
  const encode = createSentenceEncoder(logger, broken);
  await assert.rejects(encode('my card was stolen', 'english'), /no weights/);
  assert.match(inspect(warnings), /no weights/);
});

test('encodes a repeated text once', async () => {
  const counting = `import { parentPort } from 'node:worker_threads';
    let calls = 0;
    parentPort.on('message', (texts) => parentPort.postMessage(texts.map(() => Float32Array.of(++calls))));`;
  const encode = createSentenceEncoder(
    logger,
    new URL(`data:text/javascript,${encodeURIComponent(counting)}`),
  );
  assert.deepEqual(await encode('Where is my order?', 'english'), Float32Array.of(1));
  assert.deepEqual(await encode('where is my order?', 'english'), Float32Array.of(1));
  assert.deepEqual(await encode('Where is my invoice?', 'english'), Float32Array.of(2));
});

test('rejects more texts than it can encode in time, and continues', async () => {
  const slow = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (texts) => parentPort.postMessage(texts.map(() => Float32Array.of(1))));`;
  const encode = createSentenceEncoder(logger, new URL(`data:text/javascript,${encodeURIComponent(slow)}`));
  const texts = Array.from({ length: 200 }, (_, n) => `Where is order ${n}?`);
  const results = await Promise.allSettled(texts.map((text) => encode(text, 'english')));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 128);
  assert.deepEqual(await encode('Where is order 199?', 'english'), Float32Array.of(1));
});
