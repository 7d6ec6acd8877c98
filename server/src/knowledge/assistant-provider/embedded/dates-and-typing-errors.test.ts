import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';

const database = await connectTestDatabase();

const hours = { question: 'When are you open?', answer: 'From Monday to Friday between 9 and 18.' };
const questions = [hours, { question: 'Where can I rent a kayak?', answer: 'At the northern pier.' }];
const rules = textDocument(
  'rules.txt',
  [
    'The deposit is 20 euros for a kayak and 150 euros for a sailing boat.',
    'Our piers are closed on 25 December and on 1 January.',
    'The beach kiosk is open from May to September only, every day until sunset.',
    'The address of the office is 7 Mill Lane.',
    'Dogs travel without a ticket on the ferry.',
  ].join('\n\n'),
);
const harbour = await makeAssistant(database, { questions, documents: [rules] });

test('answers about a holiday or a season from the evidence that has its date', async () => {
  for (const question of ['are you open on christmas?', 'Are you open on 25 December?'])
    assert.match((await harbour.reply(question)).text, /closed on 25 December/, question);
  assert.match((await harbour.reply('Is the kiosk open in winter?')).text, /May to September/);
  assert.equal((await harbour.reply('Are you open on Sunday?')).text, hours.answer);
});

test('offers the ordinary hours, and does not answer with them, if the date is unknown', async () => {
  const shop = await makeAssistant(database, { questions });
  for (const question of ['Are you open on christmas?', 'When are you open in winter?']) {
    const answer = await shop.reply(question);
    assert.deepEqual([answer.answered, answer.text.includes(hours.question)], [false, true], question);
  }
});

test('corrects typing errors by the words of pairs and documents', async () => {
  const replies = {
    'how much is the depsit for a kayak': /20 euros/,
    'what is the adress of the office': /7 Mill Lane/,
    'where can i rnet a kaayk': /northern pier/,
    'do dogs need a ticket on the fery': /without a ticket/,
  };
  for (const [question, reply] of Object.entries(replies))
    assert.match((await harbour.reply(question)).text, reply, question);
});

test('leaves names, and words that are merely similar', async () => {
  const answer = await harbour.reply('Who is Rupert Pears, the poor singer of the film?');
  assert.equal(answer.answered, false);
});
