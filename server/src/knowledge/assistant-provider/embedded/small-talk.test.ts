import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';
import { findSmallTalk } from './small-talk.ts';

const helmets = { question: 'Do you lend helmets?', answer: 'Helmets are free with every bicycle.' };
const hours = { question: 'What are your opening hours?', answer: 'We open at nine and close at six.' };
const database = await connectTestDatabase();
const desk = await makeAssistant(database, { questions: [helmets, hours] });

test('recognises small talk in the languages of the fixed replies', () => {
  const expected = {
    greeting: [
      'Hi there, how are you doing today?',
      'Heyyy good morning',
      'Bonjour',
      'Привет, как дела?',
      '你好',
      'こんにちは',
      'Hi there!',
      'hey, good morning',
      '¡Hola, buenos días!',
      'Guten Tag zusammen',
      'Oi, tudo bem?',
    ],
    thanks: [
      'thank you so much for your help',
      'thanks for sorting that out',
      'danke für die schnelle Antwort',
      'ok, gracias por todo',
      'Super, vielen Dank!',
      'Obrigada!',
      'Merci beaucoup',
      'ありがとうございます',
    ],
    farewell: ['Thanks, bye', 'that is all for now', 'Hasta luego', 'Auf Wiedersehen', 'Tchau!'],
    introduction: [
      'Who are you?',
      'Hi, are you a bot?',
      'are you a real person or a machine?',
      'Is this an automated reply?',
      '¿Hablo con una máquina o con una persona?',
      '¿Quién eres?',
      'Wer bist du?',
      'Quem é você?',
      'Am I talking to a real person?',
      'Êtes-vous un robot ?',
      '你是机器人吗',
    ],
    help: [
      'What can you do?',
      'help',
      '¿Qué puedes hacer?',
      'Was kannst du?',
      'O que você pode fazer?',
      'what kind of questions can I ask?',
      'Peux-tu m’aider ?',
    ],
  };
  for (const [talk, messages] of Object.entries(expected))
    for (const message of messages) assert.equal(findSmallTalk(message)?.talk, talk, message);
});

test('takes emoji alone for thanks or a greeting', async () => {
  for (const emoji of ['👍', '👍🏽👍🏽', '❤️', '🙏 🙏'])
    assert.equal(findSmallTalk(emoji)?.talk, 'thanks', emoji);
  for (const emoji of ['👋', '😀', '🤔?']) assert.equal(findSmallTalk(emoji)?.talk, 'greeting', emoji);
  assert.match((await desk.reply('👍')).text, /^You are welcome/);
  assert.match((await desk.reply('¿Prestan cascos?', '👍')).text, /./);
});

test('leaves messages with a subject of their own to the search', () => {
  for (const message of [
    '',
    '!!',
    'ok',
    'Hello, who was Ada Lovelace?',
    'Thanks, and do you lend helmets?',
    'can you help me with my order',
    'who made the cake',
    'is this real leather?',
    'are you open on Sunday',
    'thanks for the bike, where do I leave it',
    'thanks for the bike, it has a flat tyre',
    'menu for today',
    'I have a problem with my bike',
    'tell me a dog joke',
  ])
    assert.equal(findSmallTalk(message), null, message);
});

test('answers a pair in spite of a greeting', async () => {
  assert.equal((await desk.reply('Hi! Do you lend helmets?')).text, helmets.answer);
});

test('tells what to ask when a contact wants to know what the bot can do', async () => {
  const { text, answered } = await desk.reply('What can you do?');
  assert.equal(answered, true);
  assert.match(text, /^I am Ada/);
  for (const { question } of [helmets, hours])
    assert.match(text, new RegExp(`^[12]\\. ${question.replace('?', '\\?')}$`, 'm'));
});

test('offers headings of the documents of a bot with few pairs, if they are questions', async () => {
  const sections = [
    { page: null, heading: 'Welcome to the rental', text: 'The shop opens at nine.' },
    { page: null, heading: 'How do I pay?', text: 'A bicycle costs ten euros a day.' },
  ];
  const rental = { ...textDocument('rental.docx', ''), sections };
  const shop = await makeAssistant(database, { questions: [helmets], documents: [rental] });
  for (const question of ['What can you do?', 'Who is the cheapest?'])
    assert.match((await shop.reply(question)).text, /[:?]\n1\. Do you lend helmets\?\n2\. How do I pay\?$/);
});

test('asks back with the nearest questions when one may be meant, else says that it does not know', async () => {
  const near = await desk.reply('Is it open in winter?');
  assert.equal(near.answered, false);
  assert.match(
    near.text,
    /^I am not sure\. Did you mean one of these\?\n1\. What are your opening hours\?\n2\. Do you/,
  );
  const far = await desk.reply('¿Cuál es la capital de Australia?');
  assert.match(far.text, /^Lo siento.*por ejemplo:\n1\. /);
});

test('understands which of the offered questions a contact chooses', async () => {
  const offer = (text: string) => ({ role: 'assistant' as const, text });
  const en = offer(
    'I am not sure. Did you mean one of these?\n1. What are your opening hours?\n2. Do you lend helmets?',
  );
  const choose = async (choice: string, offered = en) => (await desk.reply('Hm?', offered, choice)).text;
  for (const second of [
    '2',
    '2.',
    '2️⃣',
    'number 2',
    'the second one',
    'Second please',
    'two',
    'helmets',
    'la segunda',
    'die zweite',
    'le deuxième',
    '第二个',
    'вторая',
    'الثاني',
  ])
    assert.equal(await choose(second), helmets.answer, second);
  for (const first of ['1', 'the first', 'one', 'la primera', 'opening hours'])
    assert.equal(await choose(first), hours.answer, first);
  const steps = offer('Do this:\n1. What are your opening hours?\n2. Do you lend helmets?');
  assert.notEqual(await choose('2', steps), helmets.answer, 'a numbered list of an answer is no offer');
  for (const neither of [
    '3',
    'none of them',
    'the second or the first',
    'I bought 2 bicycles last year and lost both',
  ])
    assert.ok(![helmets.answer, hours.answer].includes(await choose(neither)), neither);
});

test('writes to a contact in the language of its knowledge when a few words say nothing', async () => {
  assert.match((await desk.reply('price per day?')).text, /^I am (sorry|not sure)/);
});
