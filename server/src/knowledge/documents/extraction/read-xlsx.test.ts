import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeCompoundFile } from '../../../../test/documents/make-doc.ts';
import { makeXlsx, sheetRow } from '../../../../test/documents/make-xlsx.ts';
import { bombPart } from '../../../../test/documents/make-zip.ts';
import { readXlsx } from './read-xlsx.ts';

const mebibyte = 2 ** 20;
const read = async (workbook: Parameters<typeof makeXlsx>[0]): Promise<string> => {
  const { sections } = await readXlsx(makeXlsx(workbook), 16 * mebibyte);
  return sections.map(({ text }) => text).join('\n\n');
};
const sheetOf = (...rows: string[]): string => `<sheetData>${rows.join('')}</sheetData>`;

describe('reading an xlsx', () => {
  it('reads a workbook of LibreOffice: headers with each row, dates, currencies, merged cells and results of formulas', async () => {
    const file = await readFile(new URL('../../../../test/fixtures/documents/harbour.xlsx', import.meta.url));
    const { sections } = await readXlsx(file, mebibyte);
    const kayak =
      'Category: Kayaks\nBoat: Single kayak\nPrice per hour: 12,50 €\nValid from: 2026-05-01\nDiscount: 10%';
    const double =
      'Category: Kayaks\nBoat: Double kayak\nPrice per hour: 18,00 €\nValid from: 2026-05-01 09:30\nDiscount: 15%';
    const canoe = 'Category: Canoes\nBoat: Canadian canoe\nPrice per hour: 22,00 €\nValid from: 2026-06-15';
    const total = 'Category: Total\nPrice per hour: 52,50 €';
    const days = 'Day: Saturday\nOpens: 9:00\nCloses: 18:00\n\nDay: Sunday\nOpens: 10:00\nCloses: 16:30';
    assert.deepEqual(sections, [
      {
        page: null,
        heading: 'Prices',
        text: ['Price list of the harbour', kayak, double, canoe, total, days].join('\n\n'),
      },
      {
        page: null,
        heading: 'Questions',
        text:
          'Question: May dogs come along?\nAnswer: Yes.\nDogs travel free in double kayaks.\n\n' +
          'Question: Is there parking?\nAnswer: TRUE',
      },
    ]);
  });

  it('reads neither hidden sheets, rows and columns nor formulas, errors and readings', async () => {
    const sheet =
      '<cols><col min="2" max="3" hidden="1"/></cols>' +
      sheetOf(
        '<row><c t="s"><v>0</v></c><c><v>41</v></c><c><v>42</v></c><c t="e"><v>#REF!</v></c><c><f>1+1</f><v>2</v></c></row>',
        '<row hidden="1"><c><v>43</v></c></row>',
      );
    const sharedStrings = '<si><r><t>東</t></r><r><t>京_x000A_</t></r><rPh><t>トウキョウ</t></rPh></si>';
    assert.equal(await read({ sheet, sharedStrings }), '東京 | 2');
  });

  it('shows numbers by their format, and dates in both calendars', async () => {
    const codes = ['0.00%', '[h]:mm', 'd/m/yy', '&quot;CHF&quot; #,##0', 'mmm yyyy', 'broken ['];
    const styles =
      `<numFmts>${codes.map((code, index) => `<numFmt numFmtId="${170 + index}" formatCode="${code}"/>`).join('')}</numFmts>` +
      `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${codes.map((_, index) => `<xf numFmtId="${170 + index}"/>`).join('')}<xf numFmtId="14"/></cellXfs>`;
    const values = [0.1 + 0.2, 0.125, 1.5, 46_000, 1234.4, 46_000, 7, 46_000];
    const row = values.map((value, style) => `<c s="${style}"><v>${value}</v></c>`).join('');
    const sheet = sheetOf(`<row>${row}</row>`);
    assert.equal(
      await read({ sheet, styles }),
      '0.3 | 12.50% | 36:00 | 2025-12-09 | CHF 1,234 | 2025-12 | 7 | 2025-12-09',
    );
    const workbookProperties = '<workbookPr date1904="1"/>';
    assert.match(await read({ sheet, styles, workbookProperties }), /36:00 \| 2029-12-10/);
  });

  it('begins another table after a blank row only if it has another header', async () => {
    const text = await read({
      sheet: sheetOf(
        sheetRow('Boat', 'Colour'),
        sheetRow('Kayak', 'red'),
        '<row/>',
        sheetRow('Canoe', 'green'),
        '<row/>',
        sheetRow('Day', 'Hours'),
        sheetRow('Monday', '9-17'),
      ),
    });
    assert.equal(text, 'Boat: Kayak\nColour: red\n\nBoat: Canoe\nColour: green\n\nDay: Monday\nHours: 9-17');
  });

  it('takes no row of values for a header', async () => {
    const text = await read({
      sheet: sheetOf(sheetRow('Monday', 'closed'), sheetRow('Tuesday', '9-17'), sheetRow('Sunday', 'closed')),
    });
    assert.equal(text, 'Monday | closed\nTuesday | 9-17\nSunday | closed');
  });

  it('ignores cells beyond the last column, and merged ranges of any size', async () => {
    const sheet = `${sheetOf(
      '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>',
      '<row r="3"><c r="B3"><v>3</v></c><c r="ZZZ3"><v>4</v></c></row>',
    )}<mergeCells><mergeCell ref="A2:A1048576"/><mergeCell ref="nonsense"/></mergeCells>`;
    assert.equal(await read({ sheet }), '1 | 2\n1 | 3');
  });

  const refused: [name: string, workbook: Parameters<typeof makeXlsx>[0], reason: string][] = [
    [
      'a long text in many cells',
      {
        sheet: sheetOf('<row><c t="s"><v>0</v></c></row>'.repeat(10_000)),
        sharedStrings: `<si><t>${'word '.repeat(1000)}</t></si>`,
      },
      'too_large',
    ],
    [
      'a part that unpacks to more than the limit',
      { sheet: '', extra: [bombPart('xl/extra.xml', 20)] },
      'too_large',
    ],
    ['a document type', { sheet: '', sharedStrings: '<!DOCTYPE a [<!ENTITY e "ha">]>' }, 'unreadable'],
    ['too many levels', { sheet: '<a>'.repeat(3000) }, 'unreadable'],
  ];
  for (const [name, workbook, reason] of refused) {
    it(`rejects ${name}`, async () => {
      await assert.rejects(read(workbook), (error: Error) =>
        reason === 'unreadable'
          ? error.name !== 'AssertionError'
          : 'reason' in error && error.reason === reason,
      );
    });
  }

  it('rejects an encrypted workbook', async () => {
    const file = makeCompoundFile([{ name: 'EncryptedPackage', content: Buffer.alloc(10) }]);
    await assert.rejects(readXlsx(file, mebibyte), { reason: 'encrypted' });
  });
});
