import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt } from '../../src/chat/answering/inbound-content.ts';
import { parseDocumentName } from '../../src/knowledge/documents/document-name.ts';
import { createLineJoiner } from '../../src/knowledge/documents/extraction/pdf-blocks.ts';
import { plainTextBlocks } from '../../src/knowledge/documents/extraction/plain-text-blocks.ts';
import { removeRunningLines } from '../../src/knowledge/documents/extraction/read-pdf.ts';
import { normalizeText } from '../../src/knowledge/documents/extraction/sections.ts';
import { makeAttacks } from './attack-strings.ts';
import { growsTooFast } from './growth.ts';
import { findSourcePatterns } from './source-patterns.ts';

/** Expressions that take quadratic time, and why no stranger can use that. */
const bounded = new Map([
  [
    `server/src/knowledge/documents/extraction/read-html.ts /<meta[^>]*?\\bcharset\\s*=\\s*["']?\\s*([\\w.:-]+)/i`,
    'reads the first 1,024 bytes of a file',
  ],
  [
    'server/src/knowledge/search/sentences.ts /([\\p{L}\\p{M}]+|\\p{N}+)\\.$/u',
    'reads a passage or the 4,096 characters of a message',
  ],
  [
    'server/src/knowledge/search/sentences.ts /[^\\S\\n]*\\n\\s*/g',
    'reads a passage or the 4,096 characters of a message',
  ],
  [
    'server/src/chat/answering/contact-language.ts /\\[[^\\]]*\\]|https?:\\S+|\\S+@\\S+|\\S*\\d\\S*/g',
    'reads the first 300 characters of a message',
  ],
  ['server/src/knowledge/bots/assistant-spec.ts /^_+|_+$/g', 'reads a name of at most 100 characters'],
  ['server/src/process/config-values.ts /\\/+$/', 'reads configuration'],
  ['server/src/platform/database/embedded/binaries.ts /(\\d+)\\./', "reads PostgreSQL's version"],
  [
    'server/src/knowledge/documents/extraction/pdf-blocks.ts /(\\p{L}+)-$/u',
    'reads the last 100 characters of a line',
  ],
  [
    'server/src/knowledge/documents/extraction/pdf-blocks.ts /^[^\\p{L}]+|[^\\p{L}]+$/gu',
    'reads a word of at most 100 characters',
  ],
  [
    'server/src/knowledge/documents/extraction/plain-text-blocks.ts /\\s*:\\s*$/',
    'reads a line of at most 100 characters',
  ],
  [
    'server/src/knowledge/documents/extraction/read-pdf.ts /^\\s*[-–—]?\\s*(?:\\d{1,4}|[ivxl]{1,6})\\s*[-–—]?\\s*$/',
    'reads a line of at most 30 characters',
  ],
]);

function apply(pattern: RegExp): (text: string) => unknown {
  if (pattern.global) return (text) => text.replace(pattern, '');
  return (text) => text.search(pattern);
}

const findAttack = (work: (text: string) => unknown, like: RegExp): string | undefined =>
  makeAttacks(like).find((makeText) => growsTooFast(work, makeText))?.(20);

test('recognizes expressions that take more than linear time', () => {
  const slow = [
    /^(?:item\d+\.)?TEL[^:\n]*:(.{1,40})$/gim,
    /\s+$/,
    /^ {0,3}#{1,6}[ \t]+(\S.*?)[ \t]*#*$/,
    /(\d+)\./,
  ];
  for (const pattern of slow) assert.ok(findAttack(apply(pattern), pattern), String(pattern));
  assert.equal(findAttack(apply(/^\d+$/), /^\d+$/), undefined);
});

test('every expression takes linear time, or its input is short', () => {
  const patterns = findSourcePatterns();
  assert.ok(patterns.length > 150);
  const slow = patterns
    .filter(({ name }) => !bounded.has(name))
    .map(({ name, pattern }) => ({ name, attack: findAttack(apply(pattern), pattern) }))
    .filter(({ attack }) => attack !== undefined);
  assert.deepEqual(slow, []);
});

test('the list of bounded expressions names only expressions in use', () => {
  const names = new Set(findSourcePatterns().map(({ name }) => name));
  assert.deepEqual(
    [...bounded.keys()].filter((name) => !names.has(name)),
    [],
  );
});

const line = (text: string) => ({ text, x: 0, right: 0, y: 0, fontSize: 1, angle: 0, isTabular: false });

const readers: Record<string, (text: string) => unknown> = {
  'reads a plain text in linear time': (text) => [...plainTextBlocks(text)],
  'reads a text with an underlined heading in linear time': (text) => [...plainTextBlocks(`${text}\n===`)],
  'reads the spaces and breaks of a text in linear time': normalizeText,
  'reads the lines of a PDF in linear time': (text) => createLineJoiner([`a ${text} a`]).join(text, text),
  'reads the page numbers of a PDF in linear time': (text) =>
    removeRunningLines([{ lines: [line(text), line(text)], notes: [] }]),
  'reads the name of a document in linear time': parseDocumentName,
  'reads a payment receipt in linear time': readReceipt,
};

for (const [title, read] of Object.entries(readers)) {
  test(title, () => {
    assert.equal(findAttack(read, /^# - x: 1\.1 EUR\./), undefined);
  });
}
