import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, parseTable } from '../../lib/csv.ts';
import { exportHeader, findColumns, type PairColumns, readPairs } from './read-pairs.ts';

const read = (
  text: string,
  existing: Parameters<typeof readPairs>[2] = [],
  chosen: Partial<PairColumns> = {},
) => {
  const table = parseTable(text);
  const columns = { ...findColumns(table), ...chosen };
  return { ...readPairs(table, columns, existing), hasHeader: columns.hasHeader };
};

test('imports exactly the pairs that were exported', () => {
  const pairs = [
    ['question', 'answer'],
    ['=HYPERLINK("http://x")', "'=1+1"],
    ['a\nb', 'say "hi"; then, go\tthere | here'],
    ["'", "''-x"],
    ['@x', '+49 30 1'],
    ['"', "it's"],
  ];
  const found = read(formatTable([exportHeader, ...pairs]));
  assert.deepEqual(
    found.pairs.map(({ question, answer }) => [question, answer]),
    pairs,
  );
  assert.deepEqual([found.refused, found.hasHeader, found.unguarded], [[], true, 5]);
});

test('reads the columns that a header names', () => {
  for (const header of ['Frage;Antwort', ' question ; ANSWER ', 'Pregunta;Respuesta'])
    assert.deepEqual(read(`${header}\nOpen?;Yes`).pairs, [{ question: 'Open?', answer: 'Yes' }]);
  const found = read('id,answer,topic,question\n1,Yes,hours,Open?');
  assert.deepEqual([found.pairs, found.hasHeader], [[{ question: 'Open?', answer: 'Yes' }], true]);
  assert.equal(read('Question one?,Answer').hasHeader, false);
});

test('reads the columns that the user chooses, with or without a header', () => {
  const text = 'thema;otázka;odpověď\nhours;Open?;Yes\nhours;Closed?;No';
  const { pairs } = read(text, [], { question: 1, answer: 2, hasHeader: true });
  assert.deepEqual(
    pairs.map(({ question, answer }) => [question, answer]),
    [
      ['Open?', 'Yes'],
      ['Closed?', 'No'],
    ],
  );
  assert.deepEqual(read('Question;Answer', [], { hasHeader: false }).pairs, [
    { question: 'Question', answer: 'Answer' },
  ]);
});

test('names the line and the reason of each row that it leaves out', () => {
  const text = [
    'Open?,9 to 17',
    'Incomplete,',
    ',Yes',
    `${'q'.repeat(1001)},a`,
    `${'😀'.repeat(1000)},${'a'.repeat(4001)}`,
    ' open? ,Always',
    '"Where?,Here',
    `${'😀'.repeat(1000)},fits`,
  ].join('\n');
  const { pairs, refused } = read(text);
  assert.deepEqual(
    pairs.map(({ answer }) => answer),
    ['9 to 17', 'fits'],
  );
  assert.deepEqual(
    refused.map(({ line, reason }) => `${line} ${reason}`),
    ['2 noAnswer', '3 noQuestion', '4 longQuestion', '5 longAnswer', '6 repeated', '7 unclosed'],
  );
});

test('reports questions of the list, and apostrophes that it removed', () => {
  const existing = [{ question: 'Open?', answer: 'No' }];
  assert.deepEqual(read('OPEN?,Yes', existing).pairs, []);
  const found = read("'=1+1,'tis");
  assert.deepEqual([found.pairs, found.unguarded], [[{ question: '=1+1', answer: "'tis" }], 1]);
});
