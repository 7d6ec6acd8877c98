import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replyParts } from './reply-parts.ts';

test('splits an answer into parts within the limit, with all words in order', () => {
  const paragraph = fc.stringMatching(/^[a-zé😀 ]{0,60}$/u);
  const text = fc
    .array(paragraph, { maxLength: 30, size: 'max' })
    .map((paragraphs) => paragraphs.join('\n\n'));
  const words = (texts: string[]) => texts.join(' ').split(/\s+/).filter(Boolean);
  fc.assert(
    fc.property(text, fc.boolean(), (answer, breakLines) => {
      const parts = replyParts(answer, breakLines);
      assert.deepEqual(words(parts), words([answer]));
      assert.ok(parts.length <= 10);
    }),
  );
  const long = replyParts('word '.repeat(3000), false);
  assert.deepEqual(words(long), words(['word '.repeat(3000)]));
  assert.ok(long.length > 1 && long.every((part) => [...part].length <= 4096));
  assert.deepEqual(
    replyParts('😀'.repeat(5000), true).map((part) => [...part].length),
    [4096, 904],
  );
});
