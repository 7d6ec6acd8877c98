import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPhrases } from '../../knowledge/assistant-provider/embedded/phrases.ts';
import { getCannedReplies, replyLanguages } from './canned-replies.ts';

test('every language has its own canned replies; others use English', () => {
  for (const reply of ['humanRequested', 'textOnly', 'notUnderstood', 'receiptKept', 'noAnswer'] as const) {
    const texts = replyLanguages.map((language) => getCannedReplies(language)[reply]);
    assert.equal(new Set(texts).size, replyLanguages.length, reply);
  }
  assert.deepEqual(getCannedReplies('pt-BR'), getCannedReplies('pt'));
  assert.deepEqual(getCannedReplies('FR'), getCannedReplies('fr'));
  for (const locale of ['sv-SE', '', 'toString'])
    assert.deepEqual(getCannedReplies(locale), getCannedReplies('en'));
});

test('the composer has its phrases in the same languages, each with its placeholders', () => {
  const phrases = listPhrases();
  assert.equal(phrases.length, replyLanguages.length);
  for (const [name, english] of Object.entries(phrases[0] ?? {}))
    for (const each of phrases) {
      const phrase = each[name as keyof typeof each];
      assert.equal(phrase.split('{}').length, english.split('{}').length, phrase);
    }
});
