import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentSection } from '../assistant-provider/assistant-provider.ts';
import { createPassageSplitter } from './passages.ts';

const sentence = 'The ferry crosses the sound every hour and takes bicycles free of charge in all seasons. ';
const paragraph = sentence.repeat(4).trim();

function passagesOf(...sections: DocumentSection[]) {
  const cut = createPassageSplitter();
  return sections.flatMap((section) => [...cut(section)]);
}

const textsOf = (text: string): string[] =>
  passagesOf({ page: null, heading: null, text }).map((each) => each.text);

test('makes a passage of each paragraph', () => {
  assert.deepEqual(textsOf(`${paragraph}\n\n${paragraph}\r\n\r\n${paragraph}`), [
    paragraph,
    paragraph,
    paragraph,
  ]);
});

test('splits one-line paragraphs without blank lines between them', () => {
  assert.deepEqual(textsOf(`${paragraph}\n${paragraph}`), [paragraph, paragraph]);
});

test('joins short paragraphs', () => {
  assert.deepEqual(textsOf('Tea is served at four.\n\nCoffee is served at five.'), [
    'Tea is served at four.\n\nCoffee is served at five.',
  ]);
});

test('splits a long paragraph between sentences without losing text', () => {
  const pieces = textsOf(sentence.repeat(40));
  assert.ok(pieces.length > 1);
  for (const piece of pieces) assert.ok(piece.length <= 1_400 && piece.endsWith('.'), piece);
  assert.equal(pieces.join(' '), sentence.repeat(40).trim());
});

test('splits a text without sentences between words without losing text', () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(' ');
  const pieces = textsOf(words);
  for (const piece of pieces) assert.ok(piece.length <= 1_400);
  assert.equal(pieces.join(' '), words);
});

test('treats a short line before running text as its heading', () => {
  const passages = passagesOf({ page: 2, heading: 'Guide', text: `Ferries\n\n${paragraph}` });
  assert.deepEqual(passages, [{ page: 2, heading: 'Ferries', text: paragraph }]);
});

test('keeps a list of short lines as text', () => {
  assert.deepEqual(textsOf('Margherita 8 euros\n\nFunghi 9 euros\n\nCalzone 10 euros'), [
    'Margherita 8 euros\n\nFunghi 9 euros\n\nCalzone 10 euros',
  ]);
});

test('never crosses the end of a section', () => {
  const sections = [1, 2].map((page) => ({ page, heading: null, text: 'Short.' }));
  assert.deepEqual(
    passagesOf(...sections).map(({ page }) => page),
    [1, 2],
  );
});

test('continues a split section under its last heading', () => {
  const piece = (text: string, heading = 'Guide', page = 2) => ({ page, heading, text });
  const passages = passagesOf(
    piece(`Ferries\n\n${paragraph}`),
    piece(paragraph),
    piece(paragraph, 'Guide', 3),
    piece(paragraph, 'Prices', 3),
  );
  assert.deepEqual(
    passages.map(({ heading }) => heading),
    ['Ferries', 'Ferries', 'Guide', 'Prices'],
  );
});

test('truncates a heading that is a whole text', () => {
  const heading = 'All about boats and harbours '.repeat(1_000);
  const [passage] = createPassageSplitter()({ page: null, heading, text: 'The crane lifts 12 tonnes.' });
  assert.equal(passage?.heading, heading.slice(0, 300));
});
