import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitText, takeEnd, takeStart } from './cut-text.ts';

test('keeps whole characters up to the length', () => {
  const text = 'a😀b';
  const starts = [0, 1, 2, 3, 4, 5].map((length) => takeStart(text, length));
  assert.deepEqual(starts, ['', 'a', 'a', 'a😀', 'a😀b', 'a😀b']);
  const ends = [0, 1, 2, 3, 4, 5].map((length) => takeEnd(text, length));
  assert.deepEqual(ends, ['', 'b', 'b', '😀b', 'a😀b', 'a😀b']);
});

test('leaves unpaired surrogates alone', () => {
  assert.equal(takeStart('\udc00\udc00', 1), '\udc00');
  assert.equal(takeEnd('\ud800\ud800', 1), '\ud800');
});

test('splits between lines or words, and never within a character', () => {
  assert.deepEqual(splitText('short', 10), ['short']);
  assert.deepEqual(splitText('one two three four', 10), ['one two ', 'three four']);
  assert.deepEqual(splitText('one two\nthree', 10), ['one two\n', 'three']);
  const parts = splitText(`${'😀'.repeat(20)} end`, 7);
  assert.ok(parts.every((part) => part.isWellFormed() && part.length <= 7));
  assert.equal(parts.join(''), `${'😀'.repeat(20)} end`);
});
