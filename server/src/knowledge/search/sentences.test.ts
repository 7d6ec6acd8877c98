import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitSentences } from './sentences.ts';

const split = (text: string): string[] =>
  splitSentences(text).map(({ start, end }) => text.slice(start, end));

test('ends sentences at a full stop', () => {
  assert.deepEqual(split('It rains. Does it? Yes! "So it does." Good.'), [
    'It rains.',
    'Does it?',
    'Yes!',
    '"So it does."',
    'Good.',
  ]);
  assert.deepEqual(split('Llueve mucho. ¿De verdad? ¡Sí!'), ['Llueve mucho.', '¿De verdad?', '¡Sí!']);
});

test('does not end sentences at abbreviations, initials, ordinals and decimals', () => {
  for (const text of [
    'Dr. Smith met J. R. Tolkien at 3.15 p.m. in Oxford.',
    'Im 19. Jahrhundert, um 450 v. Chr. und z. B. heute.',
    'El Sr. García pagó 3.500 euros.',
  ]) {
    assert.deepEqual(split(text), [text]);
  }
});

test('ends a sentence after a year', () => {
  assert.equal(split('It was built in 1887. The mole followed.').length, 2);
});

test('joins wrapped lines and separates intended ones', () => {
  const wrapped = 'A line that an editor has wrapped since it ran out of room here,\nas it does in books.';
  assert.deepEqual(split(wrapped), [wrapped]);
  assert.deepEqual(split('Monday: 9 to 18\nTuesday: 10 to 18\n- Sunday closed'), [
    'Monday: 9 to 18',
    'Tuesday: 10 to 18',
    '- Sunday closed',
  ]);
});
