import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCannedReplies } from './canned-replies.ts';

test('every language has its own canned replies; others use English', () => {
  const texts = ['en', 'es', 'pt-BR', 'de', 'FR', 'it', 'nl-NL'].map(
    (locale) => getCannedReplies(locale).textOnly,
  );
  assert.equal(new Set(texts).size, texts.length);
  for (const locale of ['zh-CN', '', 'toString'])
    assert.deepEqual(getCannedReplies(locale), getCannedReplies('en'));
});
