import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';
import { findSmallTalk } from './small-talk.ts';

const helmets = { question: 'Do you lend helmets?', answer: 'Helmets are free with every bicycle.' };
const hours = { question: 'What are your opening hours?', answer: 'We open at nine and close at six.' };
const database = await connectTestDatabase();
const desk = await makeAssistant(database, { questions: [helmets, hours] });

test('recognises small talk in four languages', () => {
  const expected = {
    greeting: [
      'Hi there!',
      'hey, good morning',
      '¡Hola, buenos días!',
      'Guten Tag zusammen',
      'Oi, tudo bem?',
    ],
    thanks: ['thank you so much for your help', 'ok, gracias por todo', 'Super, vielen Dank!', 'Obrigada!'],
    farewell: ['Thanks, bye', 'that is all for now', 'Hasta luego', 'Auf Wiedersehen', 'Tchau!'],
    introduction: ['Who are you?', 'Hi, are you a bot?', '¿Quién eres?', 'Wer bist du?', 'Quem é você?'],
    help: ['What can you do?', 'help', '¿Qué puedes hacer?', 'Was kannst du?', 'O que você pode fazer?'],
  };
  for (const [talk, messages] of Object.entries(expected))
    for (const message of messages) assert.equal(findSmallTalk(message)?.talk, talk, message);
});

test('leaves messages with a subject of their own to the search', () => {
  for (const message of ['', '!!', 'ok', 'Hello, who was Ada Lovelace?', 'Thanks, and do you lend helmets?'])
    assert.equal(findSmallTalk(message), null, message);
});

test('answers a pair in spite of a greeting', async () => {
  assert.equal((await desk.reply('Hi! Do you lend helmets?')).text, helmets.answer);
});

test('tells what to ask when a contact wants to know what the bot can do', async () => {
  const { text, answered } = await desk.reply('What can you do?');
  assert.equal(answered, true);
  assert.match(text, /^I am Ada/);
  for (const { question } of [helmets, hours]) assert.ok(text.includes(`- ${question}`), text);
});

test('offers headings of the documents of a bot with few pairs, if they are questions', async () => {
  const sections = [
    { page: null, heading: 'Welcome to the rental', text: 'The shop opens at nine.' },
    { page: null, heading: 'How do I pay?', text: 'A bicycle costs ten euros a day.' },
  ];
  const rental = { ...textDocument('rental.docx', ''), sections };
  const shop = await makeAssistant(database, { questions: [helmets], documents: [rental] });
  for (const question of ['What can you do?', 'Who is the cheapest?'])
    assert.match((await shop.reply(question)).text, /:\n- Do you lend helmets\?\n- How do I pay\?$/);
});

test('offers the nearest questions when it does not know the answer', async () => {
  const { text, answered } = await desk.reply('Are the hours different in winter?');
  assert.equal(answered, false);
  assert.match(
    text,
    /^I am sorry, I do not know that\. You can ask me, for example:\n- What are your opening/,
  );
  assert.match((await desk.reply('¿Cuál es la capital de Australia?')).text, /^Lo siento.*por ejemplo:\n- /);
});

test('writes to a contact in the language of its knowledge when a few words say nothing', async () => {
  assert.match((await desk.reply('price per day?')).text, /^I am sorry/);
});
