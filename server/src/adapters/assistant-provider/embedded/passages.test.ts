import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentSection } from '../assistant-provider.ts';
import { createPassageSplitter } from './passages.ts';

const sentence = 'The ferry crosses the sound every hour and takes bicycles free of charge in all seasons. ';
const paragraph = sentence.repeat(4).trim();

function passagesOf(...sections: DocumentSection[]) {
  const cut = createPassageSplitter();
  return sections.flatMap((section) => [...cut(section)]);
}

const textsOf = (text: string): string[] =>
  passagesOf({ page: null, heading: null, text }).map((each) => each.text);

test('every paragraph is a passage', () => {
  assert.deepEqual(textsOf(`${paragraph}\n\n${paragraph}\r\n\r\n${paragraph}`), [
    paragraph,
    paragraph,
    paragraph,
  ]);
});

test('paragraphs of one line each need no blank lines between', () => {
  assert.deepEqual(textsOf(`${paragraph}\n${paragraph}`), [paragraph, paragraph]);
});

test('short paragraphs are joined', () => {
  assert.deepEqual(textsOf('Tea is served at four.\n\nCoffee is served at five.'), [
    'Tea is served at four.\n\nCoffee is served at five.',
  ]);
});

test('a long paragraph is cut between sentences, losing nothing', () => {
  const pieces = textsOf(sentence.repeat(40));
  assert.ok(pieces.length > 1);
  for (const piece of pieces) assert.ok(piece.length <= 1_400 && piece.endsWith('.'), piece);
  assert.equal(pieces.join(' '), sentence.repeat(40).trim());
});

test('a text without sentences is cut between words, losing nothing', () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(' ');
  const pieces = textsOf(words);
  for (const piece of pieces) assert.ok(piece.length <= 1_400);
  assert.equal(pieces.join(' '), words);
});

test('a short line before running text heads it', () => {
  const passages = passagesOf({ page: 2, heading: 'Guide', text: `Ferries\n\n${paragraph}` });
  assert.deepEqual(passages, [{ page: 2, heading: 'Ferries', text: paragraph }]);
});

test('a list of short lines is kept as text', () => {
  assert.deepEqual(textsOf('Margherita 8 euros\n\nFunghi 9 euros\n\nCalzone 10 euros'), [
    'Margherita 8 euros\n\nFunghi 9 euros\n\nCalzone 10 euros',
  ]);
});

test('a passage never reaches over the end of a section', () => {
  const sections = [1, 2].map((page) => ({ page, heading: null, text: 'Short.' }));
  assert.deepEqual(
    passagesOf(...sections).map(({ page }) => page),
    [1, 2],
  );
});

test('a section that comes in pieces goes on under its last heading, another one under its own', () => {
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

test('of a heading that is a whole text its beginning is kept', () => {
  const heading = 'All about boats and harbours '.repeat(1_000);
  const [passage] = createPassageSplitter()({ page: null, heading, text: 'The crane lifts 12 tonnes.' });
  assert.equal(passage?.heading, heading.slice(0, 300));
});
