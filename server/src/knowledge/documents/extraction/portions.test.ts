import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitIntoPortions } from './portions.ts';

const section = (text: string, heading: string | null = null) => ({ page: 1, heading, text });
const portions = (texts: readonly string[]) =>
  [
    ...splitIntoPortions(
      texts.map((text) => section(text)),
      20,
    ),
  ].map((portion) => portion.map(({ text }) => text));

describe('portions of a text', () => {
  it('hold as many sections as fit, in order', () => {
    assert.deepEqual(portions(['one two', 'three', 'four five', 'six']), [
      ['one two', 'three'],
      ['four five', 'six'],
    ]);
  });

  it('are empty without text', () => {
    assert.deepEqual(portions([]), []);
  });

  it('count headings, and repeat the heading for every part of a section', () => {
    const headed = (text: string) => section(text, 'Numbers');
    assert.deepEqual(
      [...splitIntoPortions([headed('one'), headed('two')], 15)],
      [[headed('one')], [headed('two')]],
    );
    assert.deepEqual(
      [...splitIntoPortions([headed('one two three four')], 15)],
      [[headed('one two three')], [headed('four')]],
    );
  });

  it('split between paragraphs, else lines, else words, else letters', () => {
    assert.deepEqual(portions(['one two three\n\nfour\nfive six']), [['one two three'], ['four\nfive six']]);
    assert.deepEqual(portions(['one two three\nfour five six']), [['one two three'], ['four five six']]);
    assert.deepEqual(portions(['one two three four five six']), [['one two three four'], ['five six']]);
    assert.deepEqual(portions(['x'.repeat(45)]), [['x'.repeat(20)], ['x'.repeat(20)], ['x'.repeat(5)]]);
  });

  it('never split a surrogate pair', () => {
    assert.deepEqual(portions([`x${'😀'.repeat(12)}`]), [[`x${'😀'.repeat(9)}`], ['😀'.repeat(3)]]);
  });

  it('contain every word of a long text', () => {
    const text = Array.from(
      { length: 5000 },
      (_, n) => `word${n}${n % 7 === 0 ? '\n' : ''}${n % 50 === 0 ? '\n' : ''}`,
    );
    const joined = [...splitIntoPortions([section(text.join(' '))], 500)].flat().map((piece) => piece.text);
    assert.ok(joined.every((piece) => piece.length <= 500));
    assert.deepEqual(
      joined.join(' ').split(/\s+/),
      text.map((word) => word.trim()),
    );
  });
});
