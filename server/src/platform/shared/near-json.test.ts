import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNearJson } from './near-json.ts';

test('parses what models write instead of JSON', () => {
  const order = { order: '4711' };
  const encoded = JSON.stringify(JSON.stringify(order));
  for (const [text, value] of [
    ['{"order":"4711"}', order],
    [encoded, order],
    [JSON.stringify(encoded), order],
    ['{\\"order\\": \\"4711\\"}', order],
    ['```json\n{"order":"4711"}\n```', order],
    ['```\n{"order":"4711",}\n```', order],
    ["{'order': '4711'}", order],
    ['{order: "4711"}', order],
    ['{“order”: “4711”}', order],
    ['{"order":"4711",}', order],
    ['{"order":"4711"', order],
    ['{"order":"4711"}}', order],
    ['{"of":{"order":"4711"', { of: order }],
    ['{"all":["4711"', { all: ['4711'] }],
    ['{"urgent":true', { urgent: true }],
    ["{'urgent': True, 'note': None}", { urgent: true, note: null }],
    ['{"text":"one\ntwo\ttabbed\r\nthree\u0001"}', { text: 'one\ntwo\ttabbed\r\nthree\u0001' }],
    ['{"text":"He said "hi" to me"}', { text: 'He said "hi" to me' }],
    ['{"path":"C:\\docs"}', { path: 'C:\\docs' }],
    ['{"number": 00123}', { number: '00123' }],
    ['{"a":"x" "b":"y"}', { a: 'x', b: 'y' }],
    ['{"a":"x" /* a comment */}', { a: 'x' }],
    ['"plain"', 'plain'],
    ['null', null],
    [String.raw`{"\\      ":"+    #{ - "`, { '\\      ': '+    #{ - ' }],
  ] as const)
    assert.deepEqual(parseNearJson(text), value, text);
});

test('does not guess the rest of text that may be cut off', () => {
  for (const text of [
    '',
    'order 4711 is late',
    '{"order":"47',
    '{"order":"',
    '{"order":',
    '{"order":47',
    '{"urgent":tr',
    '{"order":"4711",',
    '{"order":"4711","note"',
    String.raw`{"{    #\"  "`,
    '{"note": "hello, world}',
    "{'note': 'it's late'}",
    '{"order":"4711"} and then {"order":"4712"}',
  ])
    assert.ok(typeof parseNearJson(text) !== 'object', `${text} → ${JSON.stringify(parseNearJson(text))}`);
});

test('parses every JSON text unchanged, and every cut of it to undefined or to whole values', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      assert.deepEqual(parseNearJson(text), JSON.parse(text));
      const cut = parseNearJson(text.slice(0, at % text.length));
      if (typeof cut !== 'object' || cut === null) return;
      for (const [name, member] of Object.entries(cut)) assert.equal(member, JSON.parse(text)[name]);
    }),
    { numRuns: 500 },
  );
});

test('does not fail on deeply nested text', () => {
  assert.equal(parseNearJson('['.repeat(100_000)), undefined);
  assert.equal(parseNearJson(`{'a':${'['.repeat(100_000)}${']'.repeat(100_000)}}`), undefined);
});
