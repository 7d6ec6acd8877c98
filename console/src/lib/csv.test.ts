import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, parseTable } from './csv.ts';

test('reads cells that were copied from a spreadsheet', () => {
  assert.deepEqual(parseTable('Open?\tFrom 9 to 5\r\nHelmets?\t"Yes,\nincluded"\r\n'), [
    ['Open?', 'From 9 to 5'],
    ['Helmets?', 'Yes,\nincluded'],
  ]);
});

test('reads CSV with commas or semicolons, quotes and blank lines', () => {
  assert.deepEqual(parseTable('"a ""b"", c",d\n\n1,2'), [
    ['a "b", c', 'd'],
    ['1', '2'],
  ]);
  assert.deepEqual(parseTable('\uFEFFQ;A, with a comma\n'), [['Q', 'A, with a comma']]);
});

test('keeps every text through a file, and writes no formulas', () => {
  const rows = [
    ['=HYPERLINK("http://x")', '-1'],
    ['a\nb', 'say "hi"; then, go\tthere'],
    ['@x', '+49 30 1'],
  ];
  const file = formatTable(rows);
  assert.deepEqual(parseTable(file), rows);
  assert.doesNotMatch(file, /(?:^|[,\n"\uFEFF])[=+\-@]/);
});
