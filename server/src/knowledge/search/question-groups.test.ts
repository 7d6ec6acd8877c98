import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { createSentenceEncoder } from '../../ports/embedding/sentence-encoder.ts';
import { createQuestionGroups } from './question-groups.ts';

const { db } = await connectTestDatabase();
const encode = createSentenceEncoder({ warn: () => undefined });

const questions = [
  'How much does a lock cost?',
  'Do you deliver to Madeira?',
  '¿Tienen bicicletas para niños?',
  'Are dogs allowed in the shop?',
  'What is the price of a lock?',
  'do you deliver to MADEIRA',
  'Hay bicicletas para niños',
  'Do you ship to the island of Madeira?',
  'Is there parking near the shop?',
  'Do you repair flat tyres?',
];

const groupWith = async (encodeSentence: typeof encode, texts = questions): Promise<string[][]> => {
  const group = createQuestionGroups({ db, embedding: null, encode: encodeSentence });
  return (await group(texts)).map((indexes) => indexes.map((index) => texts[index] ?? ''));
};

test('groups questions by meaning, the largest group first', async () => {
  assert.deepEqual(await groupWith(encode), [
    ['Do you deliver to Madeira?', 'do you deliver to MADEIRA', 'Do you ship to the island of Madeira?'],
    ['How much does a lock cost?', 'What is the price of a lock?'],
    ['¿Tienen bicicletas para niños?', 'Hay bicicletas para niños'],
    ['Are dogs allowed in the shop?'],
    ['Is there parking near the shop?'],
    ['Do you repair flat tyres?'],
  ]);
});

test('groups questions by words while the encoder fails', async () => {
  const groups = await groupWith(async () => {
    throw new Error('no weights');
  });
  assert.deepEqual(groups[0], [
    'Do you deliver to Madeira?',
    'do you deliver to MADEIRA',
    'Do you ship to the island of Madeira?',
  ]);
  assert.ok(groups.some((group) => group.join() === 'How much does a lock cost?'));
});

test('groups nothing, and texts without words', async () => {
  assert.deepEqual(await groupWith(encode, []), []);
  assert.deepEqual(await groupWith(encode, ['?', '!!', '👍']), [['?', '!!', '👍']]);
});
