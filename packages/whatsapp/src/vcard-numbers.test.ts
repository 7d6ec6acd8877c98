import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growsTooFast } from '../../../server/test/patterns/growth.ts';
import { readNumbers } from './inbound-content.ts';

const cards: [name: string, lines: string[], numbers: string[]][] = [
  ['a number with the id of its account', ['TEL;waid=49170:+49 170'], ['+49 170']],
  ['several types', ['TEL;type=CELL;type=VOICE:+1 5', 'tel;TYPE="work,voice":+1 6'], ['+1 5', '+1 6']],
  ['a group', ['item1.TEL;waid=1:+1 5', 'item1.X-ABLabel:Mobile'], ['+1 5']],
  ['a colon in a quoted parameter', ['TEL;LABEL="work: desk":+1 5'], ['+1 5']],
  ['the URI of version 4', ['TEL;VALUE=uri:tel:+1-555'], ['+1-555']],
  ['a folded line', ['TEL;type=CELL:+49', ' 170'], ['+49170']],
  ['a note that resembles a number', ['NOTE:TEL:+1 5', 'X-TEL:+1 6', 'TELEX:+1 7'], []],
  ['no number, and one that is too long', ['TEL:', `TEL:${'1'.repeat(41)}`, 'TEL:+1 5'], ['+1 5']],
  ['other lines that are not valid', ['garbage', 'TEL', 'TEL;:', 'TEL:+1 5'], ['+1 5']],
];

for (const [name, lines, numbers] of cards)
  test(`reads a card with ${name}`, () => {
    for (const end of ['\n', '\r\n']) {
      const card = ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ann', ...lines, 'END:VCARD'].join(end);
      assert.deepEqual(readNumbers(card), numbers);
    }
  });

test('reads at most 20 numbers', () => {
  assert.equal(readNumbers('TEL:+1 5\n'.repeat(1000)).length, 20);
});

test('reads hostile cards in linear time', () => {
  const pumps = [
    'TEL\r',
    'TEL\n',
    'TEL\u2028',
    'TEL;',
    'TEL;a=b;',
    'a=b,',
    '"',
    '\n ',
    'item1.',
    '\\n',
    '^n',
    ':',
    ';',
    ',',
  ];
  const beginnings = ['', 'TEL', 'TEL;', 'TEL:', 'TEL;a=', 'TEL;TYPE="', 'item', 'BEGIN:VCARD\n'];
  for (const beginning of beginnings)
    for (const pump of pumps) {
      const makeCard = (length: number) => beginning + pump.repeat(length / pump.length);
      assert.equal(growsTooFast(readNumbers, makeCard), false, JSON.stringify(beginning + pump));
    }
});
