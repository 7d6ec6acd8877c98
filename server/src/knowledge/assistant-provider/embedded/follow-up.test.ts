import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import type { TurnMessage } from '../assistant-provider.ts';

const section = (heading: string, text: string) => ({ page: 1, heading, text });
const tours = await makeAssistant(await connectTestDatabase(), {
  questions: [
    { question: 'How much is the sunset tour?', answer: 'The sunset tour costs 49 euros a person.' },
    { question: 'How much is the river tour?', answer: 'The river tour costs 35 euros a person.' },
    {
      question: 'How long does a card payment take?',
      answer: 'A card payment takes two working days to arrive.',
    },
    { question: 'Where do I park?', answer: 'There are free parking spaces behind the boathouse.' },
    {
      question: 'Do you give vouchers?',
      answer: 'Vouchers are for sale at the desk and are valid for three years.',
    },
  ],
  documents: [
    {
      name: 'handbook.pdf',
      type: 'pdf',
      bytes: new Uint8Array(),
      sections: [
        section(
          'Sunset tour',
          'The sunset tour takes two hours. It starts at seven in the evening at the south pier. The sunset tour includes a drink and a warm blanket. Children under eight cannot join the sunset tour.',
        ),
        section(
          'River tour',
          'The river tour takes four hours. It starts at nine in the morning at the boathouse. The river tour includes lunch. Dogs are welcome on the river tour.',
        ),
        section('Weather', 'In a storm the tours are cancelled and the money is paid back within a week.'),
      ],
    },
  ],
});

const conversation = async (...questions: string[]): Promise<string> => {
  const turns: (string | TurnMessage)[] = [];
  let text = '';
  for (const question of questions) {
    turns.push(question);
    ({ text } = await tours.reply(...turns));
    turns.push({ role: 'assistant', text });
  }
  return text.split('\n')[0] ?? '';
};

test('follows a conversation: a short message refers to the subject of the one before', async () => {
  const expected: [string[], RegExp][] = [
    [['How much is the sunset tour?', 'How long does it take?'], /two hours/],
    [['How much is the river tour?', 'How long does it take?'], /four hours/],
    [['How much is the sunset tour?', 'When does it start?'], /seven in the evening/],
    [['How much is the river tour?', 'and when does it start?'], /nine in the morning/],
    [['How much is the sunset tour?', 'What does it include?'], /drink/],
    [['How much is the river tour?', 'Does it include lunch?'], /lunch/],
    [['How much is the sunset tour?', 'Can children join it?'], /under eight/],
    [['How much is the river tour?', 'and can dogs come too?'], /Dogs are welcome/],
    [
      ['How much is the sunset tour?', 'How long does it take?', 'And when does it start?'],
      /seven in the evening/,
    ],
    [['Do you give vouchers?', 'How long are they valid?'], /three years/],
  ];
  const wrong = [];
  for (const [questions, answer] of expected) {
    const text = await conversation(...questions);
    if (!answer.test(text)) wrong.push(`${questions.at(-1)} → ${text}`);
  }
  assert.deepEqual(wrong, []);
});

test('a new subject is no follow-up', async () => {
  assert.match(
    await conversation('How much is the sunset tour?', 'Where do I park?'),
    /behind the boathouse/,
  );
  assert.match(await conversation('Do you give vouchers?', 'How much is the river tour?'), /35 euros/);
});
