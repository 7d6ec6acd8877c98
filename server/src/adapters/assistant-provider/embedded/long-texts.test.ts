import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';
import { createLexicons } from './lexicon.ts';
import { createPairIndex } from './question-pairs.ts';
import { createStemming } from './stemming.ts';
import { truncateMiddle } from './text-limits.ts';
import { createTimeSlicer } from './time-slices.ts';

const database = await connectTestDatabase();
const stemming = createStemming(database.db);
const linguistics = { stemming, lexicons: createLexicons(stemming) };

const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'san', 'vo', 'ru', 'pel', 'dis', 'tor', 'ma'];

/** Returns `characters` of distinct words. */
function words(characters: number, from: number): string {
  let text = '';
  for (let number = from; text.length < characters; number += 1) {
    const syllables = [...number.toString(SYLLABLES.length)].map(
      (digit) => SYLLABLES[Number.parseInt(digit, SYLLABLES.length)] ?? '',
    );
    text += `${syllables.join('')} `;
  }
  return text.slice(0, characters).trim();
}

const LONGEST_INBOUND = 65_536;
const longPairs = Array.from({ length: 100 }, (_, pair) => ({
  question: words(1_000, 2_000 + pair * 200),
  answer: `the answer ${pair}`,
}));
const index = await createPairIndex(linguistics, longPairs, createTimeSlicer()());

/** Returns how often the search for a pair yields. */
async function slicesFor(question: string): Promise<number> {
  let slices = 0;
  await index.findBest(truncateMiddle(question), async () => {
    slices += 1;
  });
  return slices;
}

test('bounds the work for an answer, however long the message is', async () => {
  const ofOneMessage = await slicesFor(words(4_096, 100_000));
  const ofTenLongest = Array.from({ length: 10 }, (_, message) =>
    words(LONGEST_INBOUND, 100_000 + message * 20_000),
  );
  const ofTen = await slicesFor(ofTenLongest.join('\n'));
  assert.ok(ofOneMessage > 100, `${ofOneMessage} slices`);
  assert.ok(ofTen <= ofOneMessage, `${ofTen} slices for ten texts, ${ofOneMessage} for a short one`);
});

test('stops the search for a pair at the first yield after an abort', async () => {
  let slices = 0;
  const search = index.findBest(truncateMiddle(words(LONGEST_INBOUND, 100_000)), async () => {
    slices += 1;
    if (slices === 3) throw new Error('given up');
  });
  await assert.rejects(search, /given up/);
  assert.equal(slices, 3);
});

test('finds a pair by a question of maximum length, also with one different word', async () => {
  const yieldControl = createTimeSlicer()();
  const { question = '', answer } = longPairs[42] ?? {};
  assert.equal((await index.findBest(question, yieldControl))?.score, 1);
  const inOtherWords = question.replace(/\S+$/, 'altogether');
  assert.equal((await index.findBest(inOtherWords, yieldControl))?.answer, answer);
});

test('answers a question before or after a long text', async () => {
  const shop = await makeAssistant(database, {
    tools: [
      {
        name: 'order_status',
        description: 'Looks up the status of an order',
        parameters: [{ name: 'order_number', type: 'string', description: '' }],
      },
    ],
    documents: [
      textDocument('boats.txt', 'The slipway crane lifts up to 12 tonnes. It was built by Ole Bergman.'),
    ],
  });
  const pasted = '. '.repeat(LONGEST_INBOUND / 2 - 100);
  for (const text of [
    `How many tonnes can the crane lift? ${pasted}`,
    `${pasted} How many tonnes can the crane lift?`,
  ]) {
    assert.match((await shop.reply(text)).text, /12 tonnes/);
  }
  const step = await shop.step({
    role: 'contact',
    text: `${pasted} What is the status of my order AB-4711?`,
  });
  assert.deepEqual(step.kind === 'tool_call' && step.arguments, { order_number: 'AB-4711' });
});

test('says that the answer is unknown for ten messages of maximum length', async () => {
  const desk = await makeAssistant(database, { questions: longPairs.slice(0, 20) });
  const texts = Array.from({ length: 10 }, (_, message) => '… '.repeat(LONGEST_INBOUND / 2 - message));
  assert.equal((await desk.reply(...texts)).answered, false);
});

test('keeps a short text whole and a long one at both ends', () => {
  const short = words(4_096, 1_000);
  assert.equal(truncateMiddle(short), short);
  const read = truncateMiddle(`first ${words(LONGEST_INBOUND, 1_000_000)} last`);
  assert.match(read, /^first .* last$/s);
  assert.ok(read.length <= 4_097, `${read.length} characters`);
  assert.ok(
    words(LONGEST_INBOUND, 1_000_000)
      .split(' ')
      .includes(read.split('\n')[0]?.split(' ').at(-2) ?? ''),
  );
  assert.ok(truncateMiddle('語'.repeat(LONGEST_INBOUND)).length > 3_000);
  assert.equal(truncateMiddle('😀'.repeat(LONGEST_INBOUND)).isWellFormed(), true);
});
