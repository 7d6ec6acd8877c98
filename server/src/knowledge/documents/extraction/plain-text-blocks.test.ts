import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainTextBlocks } from './plain-text-blocks.ts';

/** Headings marked with `#`, so that an expectation reads like a text. */
function readBlocks(text: string): string[] {
  return [...plainTextBlocks(text)].map((block) => (block.isHeading ? `# ${block.text}` : block.text));
}

describe('the headings of a plain text', () => {
  const found: [string, string, string[]][] = [
    ['marked with number signs', '## Prices ##\nFive euros', ['# Prices', 'Five euros']],
    [
      'underlined',
      'Prices\n======\nFive euros\n\nHours\n-----\nNine to six',
      ['# Prices', 'Five euros', '# Hours', 'Nine to six'],
    ],
    ['standing alone in capitals', 'PRICES:\nFive euros', ['# PRICES', 'Five euros']],
    ['in the capitals of another script', 'ЦЕНЫ\nПять евро', ['# ЦЕНЫ', 'Пять евро']],
    ['after Windows line ends', 'PRICES\r\n\r\nFive euros\r\n', ['# PRICES', 'Five euros']],
  ];
  for (const [name, text, expected] of found) {
    it(`are those ${name}`, () => assert.deepEqual(readBlocks(text), expected));
  }

  const none: [string, string][] = [
    ['a number sign without a blank', '#1 of all shops'],
    ['several lines in capitals', 'WE ARE CLOSED\nON SUNDAYS'],
    ['a sentence in capitals', 'WE ARE CLOSED!\nOn Sundays'],
    ['a short word in capitals', 'USA\nand Canada'],
    ['digits', '2026\nwas a year'],
    ['a script without capitals', '営業時間\n九時から'],
    ['a rule below a paragraph', 'First line\nsecond line\n-----------'],
    ['a list of dashes', '- one\n- two\n---'],
    ['a much longer line above a few dashes', `${'long line '.repeat(8)}\n---`],
  ];
  for (const [name, text] of none) {
    it(`are not found in ${name}`, () => assert.deepEqual(readBlocks(text), [text.trim()]));
  }
});

describe('the paragraphs of a plain text', () => {
  it('are separated by blank lines and keep their line breaks', () => {
    assert.deepEqual(readBlocks('\n\none\ntwo\n \t\nthree\n'), ['one\ntwo', 'three']);
  });
});
