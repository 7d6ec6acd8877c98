import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, parseTable } from './csv.ts';

const cellsOf = (text: string) => parseTable(text).rows.map(({ cells }) => cells);

/** Texts with their rows and the lines whose quotation mark is not closed. */
const tables: [text: string, rows: string[][], unclosed?: number[]][] = [
  // Cells that were copied from a spreadsheet
  [
    'Open?\tFrom 9 to 5\r\nHelmets?\t"Yes,\nincluded"\r\n',
    [
      ['Open?', 'From 9 to 5'],
      ['Helmets?', 'Yes,\nincluded'],
    ],
  ],
  // Quotes and blank lines
  [
    '"a ""b"", c",d\n\n1,2',
    [
      ['a "b", c', 'd'],
      ['1', '2'],
    ],
  ],
  ['\uFEFFQ;A, with a comma\n', [['Q', 'A, with a comma']]],
  // The separator is that of most rows
  ['Open on Saturday; and Sunday?,"Yes, both"', [['Open on Saturday; and Sunday?', 'Yes, both']]],
  [
    'Open; when?,"Yes, both"\nWhere?,Here',
    [
      ['Open; when?', 'Yes, both'],
      ['Where?', 'Here'],
    ],
  ],
  [
    'Wann?;Mo, Di 9 bis 17\nWo, bitte?;Hier',
    [
      ['Wann?', 'Mo, Di 9 bis 17'],
      ['Wo, bitte?', 'Hier'],
    ],
  ],
  [
    'a, b\tc;d\ne\tf, g',
    [
      ['a, b', 'c;d'],
      ['e', 'f, g'],
    ],
  ],
  // Line ends
  [
    'a,b\rc,d\r\ne,f\n',
    [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ],
  ],
  // Blanks around quotes
  ['Open?, "9, to 17" ', [['Open?', '9, to 17']]],
  // Quotation marks that are part of the text
  ['"Best" shop?,yes', [['"Best" shop?', 'yes']]],
  ['5" pipe?,"12"" wide"', [['5" pipe?', '12" wide']]],
  // Unclosed quotation marks
  [
    '"Open?,9\nA?,B\nC?,"D, E"',
    [
      ['A?', 'B'],
      ['C?', 'D, E'],
    ],
    [1],
  ],
  ['A?,B\n\nC?,"D', [['A?', 'B']], [3]],
  ['"Open?,9\n"A?","B"', [['A?', 'B']], [1]],
  // A line that names the separator
  ['sep=;\r\nOpen, when?;9, to 17', [['Open, when?', '9, to 17']]],
  ['\uFEFFsep=|\na, b|c, d\n"e|f', [['a, b', 'c, d']], [3]],
];

for (const [text, rows, unclosed = []] of tables)
  test(`reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(cellsOf(text), rows);
    assert.deepEqual(parseTable(text).unclosed, unclosed);
  });

test('counts the lines of the text', () => {
  const lines = parseTable('a,"b\nc"\r\n\r\n"d,e\r\nf,g').rows.map(({ line }) => line);
  assert.deepEqual(lines, [1, 5]);
});

test('writes no formulas', () => {
  const file = formatTable([
    ['=HYPERLINK("http://x")', '-1'],
    ['@x', '+49 30 1'],
  ]);
  assert.doesNotMatch(file, /(?:^|[,\n"\uFEFF])[=+\-@]/);
});
