import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { createLexicons } from './lexicon.ts';
import { createPairIndex } from './question-pairs.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

const stemming = createStemming((await connectTestDatabase()).db);
const linguistics = { stemming, lexicons: createLexicons(stemming) };
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
const index = await createPairIndex(linguistics, pairs, yieldControl);

/** Returns the answer to each question; `null` without one. */
async function answersTo(...questions: readonly string[]): Promise<(string | null)[]> {
  const matches = await Promise.all(questions.map((question) => index.findBest(question, yieldControl)));
  return matches.map((match) => match?.answer ?? null);
}

test('finds the same question with other case, punctuation and accents', async () => {
  for (const question of [
    'what are your opening hours',
    '¿CUAL ES EL HORARIO DE APERTURA?',
    'wann haben sie geoffnet',
  ]) {
    assert.equal((await index.findBest(question, yieldControl))?.score, 1, question);
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
  assert.deepEqual(await answersTo('what are your openning houres?', 'how do i retrun a prodcut'), [
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
    'How can I cancel my gym membership in Berlin?',
    'How long does the film take?',
    'Do you have vegan shoes?',
  ];
  assert.deepEqual(
    await answersTo(...questions),
    questions.map(() => null),
  );
});

test('finds nothing without pairs', async () => {
  assert.equal(
    await (await createPairIndex(linguistics, [], yieldControl)).findBest(
      'What are your opening hours?',
      yieldControl,
    ),
    null,
  );
});

test('finds a question of stop words alone by trigrams', async () => {
  const small = await createPairIndex(
    linguistics,
    [
      { question: 'Who are you, and what is it that you are there for, and for whom?', answer: 'For all.' },
      { question: 'Why are you so?', answer: 'So it is.' },
      { question: 'How is it with you?', answer: 'Fine.' },
    ],
    yieldControl,
  );
  const answers = [
    'how is it with yo',
    'whom was that by',
    'who are you for, and what is it that you are there',
  ];
  const matches = await Promise.all(answers.map((question) => small.findBest(question, yieldControl)));
  assert.deepEqual(
    matches.map((match) => match?.answer ?? null),
    ['Fine.', null, 'For all.'],
  );
});
