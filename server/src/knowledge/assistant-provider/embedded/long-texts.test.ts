import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { createPairIndex } from '../../search/pairs.ts';
import { createStemming } from '../../search/stemming.ts';
import { truncateMiddle } from '../../search/text-limits.ts';
import { createTimeSlicer } from '../../search/time-slices.ts';
import { textDocument } from '../assistant-provider.contract.ts';

const database = await connectTestDatabase();
const stemming = createStemming(database.db);

const allSyllables = ['ka', 'lo', 'mi', 'ter', 'san', 'vo', 'ru', 'pel', 'dis', 'tor', 'ma'];

/** Returns `characters` of distinct words. */
function words(characters: number, from: number): string {
  let text = '';
  for (let number = from; text.length < characters; number += 1) {
    const syllables = [...number.toString(allSyllables.length)].map(
      (digit) => allSyllables[Number.parseInt(digit, allSyllables.length)] ?? '',
    );
    text += `${syllables.join('')} `;
  }
  return text.slice(0, characters).trim();
}

const longestInbound = 65_536;
const longPairs = Array.from({ length: 100 }, (_, pair) => ({
  question: words(1_000, 2_000 + pair * 200),
  answer: `the answer ${pair}`,
}));
const index = await createPairIndex(stemming, longPairs, createTimeSlicer()());

test('stops the search for a pair at the first yield after an abort', async () => {
  let slices = 0;
  const search = index.find(truncateMiddle(words(longestInbound, 100_000)), async () => {
    slices += 1;
    if (slices === 2) throw new Error('given up');
  });
  await assert.rejects(search, /given up/);
  assert.equal(slices, 2);
});

test('finds a pair by a question of maximum length, also with one different word', async () => {
  const yieldControl = createTimeSlicer()();
  const { question = '', answer } = longPairs[42] ?? {};
  assert.equal((await index.find(question, yieldControl))[0]?.score, 1);
  const inOtherWords = question.replace(/\S+$/, 'altogether');
  const [match] = await index.find(inOtherWords, yieldControl);
  assert.equal(match?.answer, answer);
  assert.ok((match?.score ?? 0) > 0.5, `${match?.score}`);
});

test('answers a question before or after a long text', async () => {
  const shop = await makeAssistant(database, {
    tools: [
      {
        name: 'order_status',
        description: 'Looks up the status of an order',
        parameters: [{ name: 'order_number', type: 'string', description: '', required: true }],
      },
    ],
    documents: [
      textDocument('boats.txt', 'The slipway crane lifts up to 12 tonnes. It was built by Ole Bergman.'),
    ],
  });
  const pasted = '. '.repeat(longestInbound / 2 - 100);
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
  assert.deepEqual(step.kind === 'tool_calls' && step.calls.map((call) => JSON.parse(call.arguments)), [
    { order_number: 'AB-4711' },
  ]);
});

test('says that the answer is unknown for ten messages of maximum length', async () => {
  const desk = await makeAssistant(database, { questions: longPairs.slice(0, 20) });
  const texts = Array.from({ length: 10 }, (_, message) => '… '.repeat(longestInbound / 2 - message));
  assert.equal((await desk.reply(...texts)).answered, false);
});

test('keeps a short text whole and a long one at both ends', () => {
  const short = words(2_048, 1_000);
  assert.equal(truncateMiddle(short), short);
  const read = truncateMiddle(`first ${words(longestInbound, 1_000_000)} last`);
  assert.match(read, /^first .* last$/s);
  assert.ok(read.length <= 2_049, `${read.length} characters`);
  assert.ok(
    words(longestInbound, 1_000_000)
      .split(' ')
      .includes(read.split('\n')[0]?.split(' ').at(-2) ?? ''),
  );
  assert.ok(truncateMiddle('語'.repeat(longestInbound)).length > 1_500);
  assert.equal(truncateMiddle('😀'.repeat(longestInbound)).isWellFormed(), true);
});
