import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { multiplyVectors } from '../../knowledge/vectors.ts';
import { createSentenceEncoder } from './sentence-encoder.ts';

test('gives texts of the same meaning near vectors of length 1', async () => {
  const encode = createSentenceEncoder();
  const texts = [
    'my card was stolen',
    'Someone took my credit card',
    'how is the weather',
    '',
    '日本 '.repeat(900),
  ];
  const [card, other, weather, empty, long] = await Promise.all(texts.map(encode));
  assert.ok(card && other && weather && empty && long);
  for (const vector of [card, other, weather, empty, long])
    assert.ok(Math.abs(multiplyVectors(vector, vector) - 1) < 1e-4);
  assert.ok(multiplyVectors(card, other) > multiplyVectors(card, weather) + 0.2);
});

test('returns no vector and warns if its thread fails', async () => {
  const warned = once(process, 'warning');
  const encode = createSentenceEncoder(new URL('data:text/javascript,throw new Error("no weights")'));
  assert.equal(await encode('my card was stolen'), null);
  assert.match(String(await warned), /no weights/);
});

test('encodes a repeated text once', async () => {
  const counting = `import { parentPort } from 'node:worker_threads';
    let calls = 0;
    parentPort.on('message', (texts) => parentPort.postMessage(texts.map(() => Float32Array.of(++calls))));`;
  const encode = createSentenceEncoder(new URL(`data:text/javascript,${encodeURIComponent(counting)}`));
  assert.deepEqual(await encode('Where is my order?'), Float32Array.of(1));
  assert.deepEqual(await encode('where is my order?'), Float32Array.of(1));
  assert.deepEqual(await encode('Where is my invoice?'), Float32Array.of(2));
});
