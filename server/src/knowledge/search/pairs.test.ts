import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { createPairIndex, leastPairScore, type PairIndex } from './pairs.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

const stemming = createStemming((await connectTestDatabase()).db);
const yieldControl = createTimeSlicer()();

const pairs = [
  { question: 'What are your opening hours?', answer: 'Monday to Friday, 9 to 18.' },
  { question: 'How can I cancel my order?', answer: 'Write to us within 24 hours.' },
  { question: 'How long does delivery take?', answer: 'Two to four days.' },
  { question: 'Do you ship abroad?', answer: 'To all of Europe.' },
  { question: 'Which payment methods do you accept?', answer: 'Card and bank transfer.' },
  { question: 'How do I return a product?', answer: 'Send it back within 30 days.' },
  { question: 'Where is your shop?', answer: 'In Harbour Street 5.' },
  { question: 'Do you have gift vouchers?', answer: 'Yes, from 10 euros.' },
  { question: '¿Cuál es el horario de apertura?', answer: 'De lunes a viernes, de 9 a 18.' },
  { question: '¿Cómo puedo cancelar mi pedido?', answer: 'Escríbenos en 24 horas.' },
  { question: 'Wann haben Sie geöffnet?', answer: 'Montag bis Freitag, 9 bis 18 Uhr.' },
  { question: 'Wie kann ich meine Bestellung stornieren?', answer: 'Schreiben Sie uns binnen 24 Stunden.' },
];
const index = await createPairIndex(stemming, pairs, yieldControl);

/** Returns the pair that answers the question; `null` without one. */
async function findAnswer(from: PairIndex, question: string) {
  const [best] = await from.find(question, yieldControl);
  return best !== undefined && best.score >= leastPairScore ? best : null;
}

async function answersTo(...questions: readonly string[]): Promise<(string | null)[]> {
  const matches = await Promise.all(questions.map((question) => findAnswer(index, question)));
  return matches.map((match) => match?.answer ?? null);
}

test('finds the same question with other case, punctuation and accents', async () => {
  for (const question of [
    'what are your opening hours',
    '¿CUAL ES EL HORARIO DE APERTURA?',
    'wann haben sie geoffnet',
  ]) {
    assert.equal((await findAnswer(index, question))?.score, 1, question);
  }
});

test('finds a question in other words', async () => {
  const expected = {
    'Could you tell me the opening hours please?': 'Monday to Friday, 9 to 18.',
    'When are you open?': 'Monday to Friday, 9 to 18.',
    'I want to cancel the order': 'Write to us within 24 hours.',
    'Can I still cancel an order?': 'Write to us within 24 hours.',
    'How long will the delivery take?': 'Two to four days.',
    'which methods of payment are accepted?': 'Card and bank transfer.',
    'how can I return the product I bought': 'Send it back within 30 days.',
    'Where can I find your shop?': 'In Harbour Street 5.',
    'Can I buy a gift voucher?': 'Yes, from 10 euros.',
    'quiero cancelar el pedido': 'Escríbenos en 24 horas.',
    '¿Qué horario de apertura tenéis?': 'De lunes a viernes, de 9 a 18.',
    'Kann ich die Bestellung noch stornieren?': 'Schreiben Sie uns binnen 24 Stunden.',
    'Ab wann haben Sie geöffnet?': 'Montag bis Freitag, 9 bis 18 Uhr.',
  };
  assert.deepEqual(await answersTo(...Object.keys(expected)), Object.values(expected));
});

test('finds a question with typing errors', async () => {
  assert.deepEqual(await answersTo('what are your openning houres?', 'how do i retrun the product'), [
    'Monday to Friday, 9 to 18.',
    'Send it back within 30 days.',
  ]);
});

test('does not answer a question about another subject', async () => {
  const questions = [
    'Who won the football match yesterday?',
    'How tall is the Eiffel Tower?',
    '¿Quién pintó Las Meninas?',
    'Wie heißt die Hauptstadt von Australien?',
    'Is the museum in Berlin free on Sundays?',
    'How long does a marathon last?',
    'Do you have vegan shoes?',
  ];
  assert.deepEqual(
    await answersTo(...questions),
    questions.map(() => null),
  );
});

test('finds nothing without pairs', async () => {
  const none = await createPairIndex(stemming, [], yieldControl);
  assert.deepEqual(await none.find('What are your opening hours?', yieldControl), []);
});

test('finds a question of stop words alone', async () => {
  const small = await createPairIndex(
    stemming,
    [
      { question: 'Who are you, and what is it that you are there for, and for whom?', answer: 'For all.' },
      { question: 'Why are you so?', answer: 'So it is.' },
      { question: 'How is it with you?', answer: 'Fine.' },
    ],
    yieldControl,
  );
  const questions = [
    'how is it with yo',
    'whom was that by',
    'who are you for, and what is it that you are there',
  ];
  const matches = await Promise.all(questions.map((question) => findAnswer(small, question)));
  assert.deepEqual(
    matches.map((match) => match?.answer ?? null),
    ['Fine.', null, 'For all.'],
  );
});

test('adds up the evidence of pairs with the same answer', async () => {
  const questions = [
    'my parcel has not come',
    'where is the parcel that you sent',
    'the parcel is late',
    'I did not receive the box',
  ];
  const other = { question: 'Which sizes of boxes can you send?', answer: 'Up to 60 cm.' };
  const indexOf = (answers: readonly string[]) =>
    createPairIndex(
      stemming,
      [...questions.map((question, at) => ({ question, answer: answers[at] ?? '' })), other],
      yieldControl,
    );
  const asked = 'I still did not receive my parcel';
  const [together] = await (await indexOf(questions.map(() => 'Track it.'))).find(asked, yieldControl);
  const [apart] = await (await indexOf(['1', '2', '3', '4'])).find(asked, yieldControl);
  assert.equal(together?.answer, 'Track it.');
  assert.ok(together.score > (apart?.score ?? 1), `${together.score} and ${apart?.score}`);
  assert.ok((apart?.score ?? 0) >= leastPairScore, 'finds a pair among similar ones with other answers');
});

test('lists the nearest pairs also for a question that none answers', async () => {
  const nearest = await index.find('How long is the queue at your shop?', yieldControl);
  assert.equal(nearest.length, 3);
  assert.ok(nearest.some(({ question }) => question === 'Where is your shop?'));
});

test('yields while it fits many pairs', async () => {
  let slices = 0;
  const many = Array.from({ length: 100 }, (_, at) => ({
    question: `Question ${at} of many`,
    answer: `${at}`,
  }));
  await createPairIndex(stemming, many, async () => {
    slices += 1;
  });
  assert.ok(slices >= 300, `${slices} slices`);
});
