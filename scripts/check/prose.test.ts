import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPhrases } from './prose.ts';
import { allowed } from './prose-rules.ts';

const found = (path: string, source: string) =>
  findPhrases(path, source).map(({ line, text }) => [line, text]);

test('finds a phrase with its line, also across the lines of a comment', () => {
  const source = ['const a = 1;', '/**', ' * The pool is', ' * told twice. Whoever asks waits.', ' */'];
  assert.deepEqual(found('a.ts', source.join('\n')), [
    [3, 'is told'],
    [4, 'Whoever'],
  ]);
});

test('finds coined names in identifiers and paths, and ignores longer words', () => {
  assert.deepEqual(found('src/joint-work.ts', 'const keptPort = createKeptPorts(deedsOf(indeed));'), [
    [0, 'joint-work'],
    [1, 'deeds'],
    [1, 'keptPort'],
    [1, 'KeptPorts'],
  ]);
});

test('names the replacement', () => {
  assert.match(findPhrases('a.ts', '// jointWork')[0]?.instead ?? '', /batcher/);
});

test('allows questions, quoted speech and Markdown code', () => {
  assert.deepEqual(found('a.ts', "ask('What is the deposit for a bike?');"), []);
  assert.deepEqual(found('a.ts', '// The bot matches “what is the price” to the pair.'), []);
  assert.deepEqual(found('a.md', 'Run `what is`.\n\n    is told\n\n```sh\necho what is\n```\n'), []);
  assert.deepEqual(found('a.md', 'The pool is told.'), [[1, 'is told']]);
});

test('allows the exceptions of the list, each with a reason', () => {
  assert.deepEqual(found('a.queries.ts', 'sql`select * from tombstones`'), []);
  assert.deepEqual(found('a.queries.ts', '// The tombstones of a team'), [[1, 'tombstones']]);
  for (const { reason } of allowed) assert.ok(reason.length > 10);
});
