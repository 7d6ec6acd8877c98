import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replyParts } from './reply-parts.ts';

const limit = 4096;
const count = (text: string): number => [...text].length;
const wordsOf = (texts: readonly string[]): string[] => texts.join(' ').split(/\s+/).filter(Boolean);
const isFence = (line: string): boolean => line.trim().startsWith('```');
const withoutFences = (texts: readonly string[]): string[] =>
  wordsOf(texts.map((text) => text.replaceAll('```', ' ')));

const paragraph = fc.stringMatching(/^[a-zé😀. ]{0,60}$/u);
const code = fc
  .array(fc.stringMatching(/^[a-z; ]{0,40}$/), { maxLength: 20 })
  .map((lines) => `\`\`\`\n${lines.join('\n\n')}\n\`\`\``);
const answers = fc
  .array(fc.oneof({ weight: 5, arbitrary: paragraph }, code), { maxLength: 40, size: 'max' })
  .map((blocks) => blocks.join('\n\n'));
/** Some are longer than a message. */
const longAnswers = fc
  .tuple(answers, fc.integer({ min: 1, max: 12 }))
  .map(([answer, times]) => Array.from({ length: times }, () => answer).join('\n\n'));

test('splits an answer into parts within the limit, with all words in order', () => {
  fc.assert(
    fc.property(longAnswers, fc.boolean(), (answer, breakLines) => {
      const parts = replyParts(answer, breakLines);
      assert.deepEqual(withoutFences(parts), withoutFences([answer]));
      for (const part of parts) {
        assert.ok(part.trim() !== '' && count(part) <= limit);
        assert.equal(part.split('\n').filter(isFence).length % 2, 0, part);
      }
      if (count(answer) <= limit) assert.ok(parts.length <= 10);
    }),
  );
});

test('ends a message at a paragraph, else a line, else a sentence, else a word', () => {
  const sentence = 'We lend bikes, and we lend helmets, too.';
  const repeat = (text: string, separator: string) => Array.from({ length: 300 }, () => text).join(separator);
  for (const [separator, end] of [
    [`\n${sentence}\n\n`, /too\.\nWe lend bikes, and we lend helmets, too\.$/],
    ['\n', /too\.$/],
    [' ', /too\.$/],
  ] as const)
    for (const part of replyParts(repeat(sentence, separator), false).slice(0, -1)) assert.match(part, end);
  const words = replyParts(repeat('helmet', ' '), false);
  assert.ok(words.every((part) => /^(?:helmet ?)+$/.test(part)));
  assert.deepEqual(
    replyParts(repeat('我们出租自行车。也出租头盔和灯', ''), false).map((part) => part.at(-1)),
    ['。', '灯'],
  );
});

test('never cuts within a character that a person sees', () => {
  for (const character of ['👨‍👩‍👧', '🇧🇷', 'e\u0301', '👍🏽', 'நி'])
    for (const part of replyParts(character.repeat(4100), false))
      assert.equal(part.replaceAll(character, ''), '');
  assert.deepEqual(
    replyParts('😀'.repeat(5000), true).map((part) => [...part].length),
    [4096, 904],
  );
  // A letter with thousands of accents is no word of any language.
  assert.ok(replyParts(`a${'\u0301'.repeat(9000)}`, false).every((part) => count(part) <= limit));
});

test('keeps a block of code in one message, or closes and opens it again', () => {
  assert.deepEqual(replyParts('Run:\n\n```\nfirst\n\nsecond\n```\n\nDone.', true), [
    'Run:',
    '```\nfirst\n\nsecond\n```',
    'Done.',
  ]);
  const block = `\`\`\`\n${'x = 1\n\n'.repeat(300)}\`\`\``;
  const text = 'Some words. '.repeat(250);
  assert.deepEqual(replyParts(`${text}\n${block}`, false), [text.trim(), block]);
  const long = replyParts(`\`\`\`\n${'  y = 2\n'.repeat(1000)}\`\`\``, false);
  assert.ok(long.length > 1);
  for (const part of long) assert.match(part, /^```\n(?: {2}y = 2\n)+```$/);
});
