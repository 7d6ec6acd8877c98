import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';

const database = await connectTestDatabase();

const hours = { question: 'What are your opening hours?', answer: 'We open at nine and close at six.' };
const place = { question: 'Where are you located?', answer: 'At the old harbour, pier four.' };
const helmets = { question: 'Do you lend helmets?', answer: 'Helmets are free with every bicycle.' };
const desk = await makeAssistant(database, { questions: [hours, place, helmets] });

const assistant = (text: string) => ({ role: 'assistant', text }) as const;

test('answers several questions in order', async () => {
  const { text, sources, answered } = await desk.reply(place.question, hours.question, helmets.question);
  assert.equal(text, [place, hours, helmets].map(({ answer }) => answer).join('\n\n'));
  assert.deepEqual(
    sources,
    [place, hours, helmets].map(({ question }) => ({ kind: 'question', question, score: 1 })),
  );
  assert.equal(answered, true);
});

test('answers a repeated question once', async () => {
  const { text } = await desk.reply(hours.question, 'what are your opening hours', helmets.question);
  assert.equal(text, `${hours.answer}\n\n${helmets.answer}`);
});

test('answers questions among other messages', async () => {
  const { text } = await desk.reply('Hello!', helmets.question, 'And one more thing', place.question);
  assert.equal(text, `${helmets.answer}\n\n${place.answer}`);
});

test('answers several questions in other words', async () => {
  const { text } = await desk.reply('Where are you located, please?', 'What are the opening hours?');
  assert.equal(text, `${place.answer}\n\n${hours.answer}`);
});

test('answers a question that spans several messages', async () => {
  const { text } = await desk.reply('What are your', 'opening hours?');
  assert.equal(text, hours.answer);
});

test('does not repeat earlier answers', async () => {
  const { text } = await desk.reply(hours.question, assistant(hours.answer), place.question);
  assert.equal(text, place.answer);
});

test('answers a question next to an unknown one', async () => {
  const { text } = await desk.reply(
    helmets.question,
    'My grandmother has painted the ceiling of her boathouse',
  );
  assert.equal(text, helmets.answer);
});

test('treats messages beyond the length limit as one text', async () => {
  const { text } = await desk.reply(place.question, 'so '.repeat(3000), hours.question);
  assert.ok(![place.answer, hours.answer].every((answer) => text.includes(answer)));
});
