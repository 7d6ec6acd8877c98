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
