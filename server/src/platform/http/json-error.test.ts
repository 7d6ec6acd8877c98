import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonError, toLineAndColumn } from './body.ts';

test('finds the first token that is not valid', () => {
  for (const [json, position] of [
    ['{"a":1}', null],
    [' [1, -2.5e+3, "\\u00e9\\n", true, null, {}, []] ', null],
    ['', 0],
    ['{"a":1', 6],
    ['{"a":x}', 5],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{1:1}', 1],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{"a":01}', 6],
    ['{"a":1.}', 6],
    ['{"a":"\\x"}', 5],
    ['{"a":"open}', 5],
    ['{"a":"line\nbreak"}', 5],
    ['{} {}', 3],
    ['}', 0],
    [':', 0],
    ['// comment', 0],
  ] as const) {
    assert.equal(findJsonError(json), position, json);
  }
});

test('accepts the same texts as the parser', () => {
  const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', '0', 'true', ' ', '"', '\\n');
  const tokens = fc.array(token, { maxLength: 12 }).map((parts) => parts.join(''));
  const cut = fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1)));
  fc.assert(
    fc.property(fc.oneof(tokens, fc.json(), cut), (json) => {
      assert.equal(findJsonError(json) === null, isValid(json), json);
    }),
    { numRuns: 5000 },
  );
});

test('stays fast with long and deep texts', () => {
  const began = performance.now();
  assert.equal(findJsonError(`["${'x'.repeat(1_000_000)}"`), 1_000_003);
  assert.equal(findJsonError(`["${'\\n'.repeat(500_000)}"`), 1_000_003);
  assert.equal(findJsonError('['.repeat(1_000_000)), 1_000_000);
  assert.equal(findJsonError(`"${'\\'.repeat(999_999)}`), 0);
  assert.ok(performance.now() - began < 3000);
});

test('counts lines and columns from 1', () => {
  assert.deepEqual(toLineAndColumn('{\n  "a": x\n}', 9), { line: 2, column: 8 });
  assert.deepEqual(toLineAndColumn('x', 0), { line: 1, column: 1 });
});

function isValid(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
