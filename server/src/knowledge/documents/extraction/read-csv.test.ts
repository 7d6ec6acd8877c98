import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCsv } from './read-csv.ts';

const read = (source: string): string =>
  readCsv(Buffer.from(source))
    .sections.map(({ text }) => text)
    .join('\n\n');

describe('reading a CSV file', () => {
  it('repeats the header with each row and counts the characters of the file', () => {
    const source = '\ufeffBoat,Price\r\n"Kayak, red",12\r\n"Canoe ""Big""",20\r\n';
    const { sections, chars } = readCsv(Buffer.from(source));
    const text = 'Boat: Kayak, red\nPrice: 12\n\nBoat: Canoe "Big"\nPrice: 20';
    assert.deepEqual(sections, [{ page: null, heading: null, text }]);
    assert.equal(chars, [...source].length - 1); // without the byte order mark
  });

  for (const [name, delimiter] of [
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ] as const) {
    it(`may be separated by ${name}`, () => {
      const source = [`Boat`, 'Price', '\nKayak', '"12,50 €\n(a day)"']
        .join(delimiter)
        .replace(`${delimiter}\n`, '\n');
      assert.equal(read(source), 'Boat: Kayak\nPrice: 12,50 €\n(a day)');
    });
  }

  it('may declare its separator', () => {
    assert.equal(read('sep=%\r\nBoat%Price, net\r\nKayak%12\r\n'), 'Boat: Kayak\nPrice, net: 12');
  });

  it('has titles above the header, rows of any length and blank rows', () => {
    const source = 'Price list,,\n,,\nBoat,Price,From\nKayak,12,May,extra\n,,\nCanoe,20\nTotal\n';
    assert.equal(
      read(source),
      'Price list\n\nBoat: Kayak\nPrice: 12\nFrom: May\nextra\n\nBoat: Canoe\nPrice: 20\n\nTotal',
    );
  });

  it('keeps the text after a broken quotation mark', () => {
    assert.equal(
      read('Day,Hours\nMon,"never closed\nTue,9-17\n'),
      'Day: Mon\nHours: "never closed\n\nDay: Tue\nHours: 9-17',
    );
  });

  it('keeps a header without rows, and years as names of columns', () => {
    assert.equal(read('Boat,Price\n'), 'Boat | Price');
    assert.equal(read('Boat,2025,2026\nKayak,12,13\n'), 'Boat: Kayak\n2025: 12\n2026: 13');
  });

  it('rejects more than a million cells and a header that fills the memory', () => {
    assert.throws(() => read(',,,,,,,,,\n'.repeat(100_001)), { reason: 'too_large' });
    const header = Array.from({ length: 20 }, (_, column) => `${column} ${'name '.repeat(19)}`.trim()).join(
      ',',
    );
    assert.throws(() => read(`${header}\n${`${'1,'.repeat(19)}1\n`.repeat(40_000)}`), {
      reason: 'too_large',
    });
  });
});
