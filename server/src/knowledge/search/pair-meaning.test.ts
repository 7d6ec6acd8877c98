import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { createPairIndex, leastPairScore } from './pairs.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

const stemming = createStemming((await connectTestDatabase()).db);
const yieldControl = createTimeSlicer()();

const pairs = [
  { question: 'When will I get my refund?', answer: 'Within five days.' },
  { question: 'What are your opening hours?', answer: 'From nine to six.' },
  { question: '¿Cuál es el horario de apertura?', answer: 'De nueve a seis.' },
];
const asked = 'How long until you pay me back?';

/** Only the first pair and `asked` have the same meaning. */
const encode = async (text: string) =>
  [pairs[0]?.question, asked].includes(text) ? Float32Array.of(1, 0) : Float32Array.of(0, 1);

test('finds an English pair that shares no word with the question', async () => {
  const byWords = await createPairIndex(stemming, pairs, yieldControl);
  const byMeaning = await createPairIndex(stemming, pairs, yieldControl, encode);
  assert.ok(((await byWords.find(asked, yieldControl))[0]?.score ?? 0) < leastPairScore);
  const [best] = await byMeaning.find(asked, yieldControl);
  assert.equal(best?.answer, 'Within five days.');
  assert.ok(best.score >= leastPairScore, `${best.score}`);
});

test('compares questions in other languages by words only', async () => {
  const encoded: string[] = [];
  const index = await createPairIndex(stemming, pairs, yieldControl, async (text, language) => {
    if (language !== 'english') return null;
    encoded.push(text);
    return encode(text);
  });
  const [best] = await index.find('¿Qué horario de apertura tenéis?', yieldControl);
  assert.equal(best?.answer, 'De nueve a seis.');
  assert.ok(best.score >= leastPairScore);
  assert.deepEqual(
    encoded,
    pairs.slice(0, 2).map(({ question }) => question),
  );
});

test('compares by words while the encoder fails', async () => {
  let fails = false;
  const index = await createPairIndex(stemming, pairs, yieldControl, async (text) => {
    if (fails) throw new Error('no weights');
    return encode(text);
  });
  const byWords = await createPairIndex(stemming, pairs, yieldControl);
  fails = true;
  const question = 'What opening hours do you have?';
  assert.deepEqual(await index.find(question, yieldControl), await byWords.find(question, yieldControl));
});

test('finds the exact question before the pairs are encoded', async () => {
  const index = await createPairIndex(stemming, pairs, yieldControl, () => new Promise(() => {}));
  const [best] = await index.find('what are your opening hours', yieldControl);
  assert.deepEqual(best, { ...pairs[1], score: 1 });
});

test('finds by words while the pairs are encoded, and by meaning as soon as they are', async () => {
  const release = Promise.withResolvers<void>();
  const index = await createPairIndex(stemming, pairs, yieldControl, async (text) => {
    await release.promise;
    return encode(text);
  });
  const byWords = await createPairIndex(stemming, pairs, yieldControl);
  assert.deepEqual(await index.find(asked, yieldControl), await byWords.find(asked, yieldControl));
  release.resolve();
  const [best] = await index.find(asked, yieldControl);
  assert.equal(best?.answer, 'Within five days.');
});

test('encodes the pairs again after a failure', async () => {
  let calls = 0;
  const index = await createPairIndex(stemming, pairs, yieldControl, async (text) => {
    calls += 1;
    if (calls === 1) throw new Error('no weights');
    return encode(text);
  });
  const [best] = await index.find(asked, yieldControl);
  assert.equal(best?.answer, 'Within five days.');
});

test('waits longer on request, until all pairs are encoded', async () => {
  const release = Promise.withResolvers<void>();
  const index = await createPairIndex(stemming, pairs, yieldControl, async (text) => {
    await release.promise;
    return encode(text);
  });
  const found = index.find(asked, yieldControl, { waitMs: 60_000 });
  // Longer than a contact waits.
  setTimeout(release.resolve, 1_500);
  assert.equal((await found)[0]?.answer, 'Within five days.');
});

type OffTopic = Parameters<typeof createPairIndex>[4];

test('scores alike with a model that gives unrelated texts a high cosine', async () => {
  const vague = 'Who pays the band tonight?';
  const offTopic = Float32Array.of(0.19, 0.19, 0);
  const plainly = async (text: string) =>
    text === vague ? Float32Array.of(0.6, 0.2, 0.77) : Float32Array.of(...(await encode(text)), 0);
  /** The new dimension, which all texts share, makes a cosine of 0.7 from one of 0. */
  const shift = (vector: Float32Array) =>
    Float32Array.of(...vector.map((value) => value * Math.sqrt(0.3)), Math.sqrt(0.7));
  const shiftedly = async (text: string) => shift(await plainly(text));
  const scoreWith = async (encodeText: typeof shiftedly, encodeOffTopic?: OffTopic) => {
    const index = await createPairIndex(stemming, pairs, yieldControl, encodeText, encodeOffTopic);
    return (await index.find(vague, yieldControl))[0]?.score ?? 0;
  };
  const plain = await scoreWith(plainly, async () => [offTopic]);
  const shifted = await scoreWith(shiftedly, async () => [shift(offTopic)]);
  assert.ok(Math.abs(shifted - plain) < 0.001, `${shifted} ${plain}`);
  const unscaled = await scoreWith(shiftedly);
  assert.ok(unscaled - plain > 0.05, `${unscaled} ${plain}`);
});
