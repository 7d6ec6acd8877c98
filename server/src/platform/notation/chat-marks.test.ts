import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChatMarks } from './chat-marks.ts';

const read = (given: string) => {
  const { text, marks } = readChatMarks(given);
  return [
    text,
    ...marks.map(({ style, offset, length }) => `${style} ${text.slice(offset, offset + length)}`),
  ];
};

test('takes marks out of a text and says where they were', () => {
  assert.deepEqual(read('A *bold _and italic_ part*, ~gone~'), [
    'A bold and italic part, gone',
    'bold bold and italic part',
    'italic and italic',
    'strike gone',
  ]);
  assert.deepEqual(read('`a*b*` and\n```\nx *= 2\n```'), [
    'a*b* and\nx *= 2',
    'code a*b*',
    'codeBlock x *= 2',
  ]);
});

test('leaves characters that mark nothing', () => {
  for (const text of ['3 * 4 * 5', 'a_b_c', '2*3*4', '* one\n* two', '~', '``', 'a* b*', ''])
    assert.deepEqual(read(text), [text]);
});

test('counts in UTF-16 code units', () => {
  assert.deepEqual(read('😀 *yes*'), ['😀 yes', 'bold yes']);
});
