import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { makeTurn } from '../../../test/steps.ts';
import { bareSpec, textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { createLocalProvider } from '../assistant-provider/local/local-provider.ts';

const database = await connectTestDatabase();
const provider = createLocalProvider({ ...database, installationId: 'test' });
const { signal } = new AbortController();

let operations = 0;
const tag = (teamId: string) => {
  operations += 1;
  return { teamId, objectId: 'object', operation: `operation ${operations}` };
};

interface File {
  name: string;
  text: string;
}

const store = async (teamId: string, files: readonly File[]): Promise<string[]> => {
  const refs: string[] = [];
  for (const { name, text } of files)
    refs.push((await provider.putDocument(tag(teamId), textDocument(name, text), signal)).ref);
  return refs;
};

/** Returns the texts that a bot with these documents replies to the questions, with the names of the quoted documents. */
async function ask(files: readonly File[], questions: readonly string[]): Promise<string[]> {
  const teamId = `team ${operations}`;
  const documentRefs = await store(teamId, files);
  const { ref: storeRef } = await provider.putKnowledge(tag(teamId), signal);
  const spec = { ...bareSpec, knowledge: { storeRef, documentRefs } };
  const assistant = await provider.putAssistant(tag(teamId), null, spec, signal);
  const texts: string[] = [];
  for (const text of questions) {
    const step = await provider.step(makeTurn(assistant, [{ role: 'contact', text }]), signal);
    texts.push(step.kind === 'answer' ? step.text : '');
  }
  return texts;
}

const boats = [
  'single kayak',
  'double kayak',
  'canadian canoe',
  'pedal boat',
  'rowing boat',
  'sailing dinghy',
  'electric launch',
];
const prices = (first: number, city = 'harbour'): string =>
  `Price list of the ${city}\n\n${boats
    .map((boat, index) => `The rental of a ${boat} costs ${first + 3 * index} euros per hour.`)
    .join('\n\n')}\n\nChildren under twelve years pay half. Life jackets are included in each rental.`;
const questions = boats.map((boat) => `How much does the ${boat} cost?`);

describe('copies and versions of a document', () => {
  it('answers the same with one, two and ten copies of a file, also under other names', async () => {
    const copies = (count: number): File[] =>
      Array.from({ length: count }, (_, copy) => ({
        name: copy === 0 ? 'prices.txt' : `prices (${copy}).txt`,
        text: prices(11),
      }));
    const once = await ask(copies(1), questions);
    assert.match(once.join('\n'), /11 euros/);
    const withoutSource = (texts: string[]) => texts.map((text) => text.replaceAll(/— .*/g, ''));
    assert.deepEqual(withoutSource(await ask(copies(2), questions)), withoutSource(once));
    assert.deepEqual(withoutSource(await ask(copies(10), questions)), withoutSource(once));
  });

  it('never quotes an old price list beside a newer one', async () => {
    const old = { name: 'list a.txt', text: prices(11) };
    const newer = { name: 'list b.txt', text: `${prices(52)}\n\nNew: a stand-up board costs 9 euros.` };
    const replies = await ask([old, newer], questions);
    assert.ok(replies.filter((text) => text.includes('list b.txt')).length >= 6, replies.join('\n'));
    for (const text of replies) assert.doesNotMatch(text, /list a\.txt/);
    assert.match(replies.join('\n'), /— list b\.txt \(20\d\d-\d\d-\d\d\)/);
  });

  it('prefers the later date in a name and in the text to a later upload', async () => {
    const inNames = await ask(
      [
        { name: 'prices 2027-03.txt', text: prices(52) },
        { name: 'prices 2026-11.txt', text: prices(11) },
      ],
      questions.slice(0, 2),
    );
    const inTexts = await ask(
      [
        { name: 'new.txt', text: `Valid in 2027.\n\n${prices(52)}` },
        { name: 'old.txt', text: `Valid in 2026.\n\n${prices(11)}` },
      ],
      questions.slice(0, 2),
    );
    for (const text of [...inNames, ...inTexts]) {
      assert.match(text, /5[25] euros/);
      assert.doesNotMatch(text, /1[14] euros/);
    }
  });

  it('keeps documents apart that the question tells apart', async () => {
    const files = [
      { name: 'oslo.txt', text: prices(11, 'quay in Oslo') },
      { name: 'lisbon.txt', text: prices(52, 'quay in Lisbon') },
    ];
    const [oslo, lisbon] = await ask(files, [
      'How much does the single kayak cost in Oslo?',
      'How much does the single kayak cost in Lisbon?',
    ]);
    assert.match(oslo ?? '', /oslo\.txt/);
    assert.match(lisbon ?? '', /lisbon\.txt/);
  });
});
