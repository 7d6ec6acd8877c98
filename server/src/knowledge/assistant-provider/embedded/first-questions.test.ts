import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handbook } from '../../../../../scripts/demo/handbook-text.ts';
import { rentalQuestions } from '../../../../../scripts/demo/rental-questions.ts';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';

const database = await connectTestDatabase();
const handbookDocument = {
  name: 'handbook.pdf',
  type: 'pdf' as const,
  bytes: new Uint8Array(),
  sections: handbook.map(({ heading, paragraphs }) => ({ page: 1, heading, text: paragraphs.join('\n\n') })),
};
const rental = await makeAssistant(database, {
  questions: [{ question: 'Do you lend helmets?', answer: 'Yes, a helmet is included with every bike.' }],
  documents: [handbookDocument],
});

test('answers the first questions of a new user of the demo', async () => {
  const expected = {
    'What are your opening hours?': /between 8 in the morning/,
    'When are you open on Sunday?': /Saturdays and Sundays between 9/,
    'Do I need a helmet?': /included with every bike/,
    'How much is a cargo bike per day?': /49 euros a day/,
    'What does an electric bike cost?': /9 euros for the first hour/,
    'Is there a student discount?': /20 percent/,
    'Can I pay the deposit in cash?': /do not accept the deposit in cash/,
    'Can I pay by credit card?': /debit card, credit card/,
    'How old do I have to be?': /at least 16 years/,
    'How do I cancel my reservation?': /Cancelling is free until 24 hours/,
    'I have a flat tyre': /repaired free of charge/,
    'My bike was stolen': /report it to the police/,
    'Can I return the bike at another shop?': /return it at another/,
    // "Make" and "get" are not in the handbook.
    'How do I make a complaint?': /Mara Lindqvist/,
    'Do groups get a discount?': /15 percent/,
    // Other passages have the same words.
    'Do you have bikes for children?': /children’s bikes/,
    'Can I take the bike on the ferry?': /free of charge on the ferry/,
  };
  for (const [question, answer] of Object.entries(expected))
    assert.match((await rental.reply(question)).text, answer, question);
});

test('does not answer a question about something else', async () => {
  for (const question of [
    'Who won the world cup?',
    'Tell me a joke',
    'Can I bring my dog?',
    'When does the museum open?',
    'Do you rent boats?',
    'What is my account balance?',
    'Which bus goes to the airport?',
    'Do you sell gift cards?',
  ])
    assert.equal((await rental.reply(question)).answered, false, question);
});

test('prefers a passage that has the words of the question which a near pair lacks', async () => {
  const demo = await makeAssistant(database, { questions: rentalQuestions, documents: [handbookDocument] });
  const { text, sources } = await demo.reply('How much is the deposit for an electric bike?');
  assert.match(text, /150 euros for an electric bike/);
  assert.equal(sources[0]?.kind, 'passage');
});
