import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingReplies } from './matching-replies.ts';

const replies = [
  { name: 'Hours', text: 'From 9 to 18.' },
  { name: 'home', text: 'We come to you.' },
  { name: 'thanks', text: 'Thank you!' },
];

test('finds saved replies by the beginning of a name after a slash, and only while nothing else is written', () => {
  const find = (text: string) => matchingReplies(replies, text).map(({ name }) => name);
  assert.deepEqual(find('/ho'), ['Hours', 'home']);
  assert.deepEqual(find('/'), ['Hours', 'home', 'thanks']);
  assert.deepEqual(find('/HOU'), ['Hours']);
  for (const text of ['', 'ho', '/ho ', 'a /ho', '/x', '//']) assert.deepEqual(find(text), [], text);
});
