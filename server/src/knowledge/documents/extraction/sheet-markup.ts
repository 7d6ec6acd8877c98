import type { XmlHandler } from './read-xml.ts';
import type { TableCell, TableRow } from './table-rows.ts';

interface SheetContext {
  /** Texts that cells refer to by their index. */
  strings: readonly string[];
  format(style: number, value: number): string;
  /** Throws if the document has too many cells. */
  count(): void;
}

interface Range {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

interface OpenCell {
  column: number;
  style: number;
  type: string;
  value: string;
}

type SheetRow = TableRow & { number: number; cells: TableCell[] };

/** Those of Excel. */
const lastColumn = 16_384;
const lastRow = 1_048_576;
const maxMergedRanges = 10_000;

/** Reads SpreadsheetML. Source: ECMA-376, part 1, 18.3. */
export function createSheetMarkup({ strings, format, count }: SheetContext): {
  handler: XmlHandler;
  takeRows(): TableRow[];
} {
  const rows: SheetRow[] = [];
  const hiddenColumns: { min: number; max: number }[] = [];
  const merged: Range[] = [];
  let rowNumber = 0;
  let isHiddenRow = false;
  let cell: OpenCell | null = null;
  let column = 0;
  let isValue = false;
  let isReading = false;

  const closeCell = (): void => {
    const row = rows.at(-1);
    if (cell === null || row === undefined) return;
    const text = readCell(cell, { strings, format });
    const isHidden = isHiddenRow || hiddenColumns.some(({ min, max }) => column >= min && column <= max);
    if (text.trim() === '' || isHidden || column > lastColumn) return;
    count();
    row.cells.push({ column, text });
  };

  return {
    handler: {
      open(name, attributes) {
        const { r = '', s = '0', t = 'n', min = '0', max = '0', hidden = '', ref = '' } = attributes;
        isValue = name === 'v' || (name === 't' && !isReading);
        if (name === 'col' && isOn(hidden)) hiddenColumns.push({ min: Number(min), max: Number(max) });
        else if (name === 'row') {
          const number = Number(r) || rowNumber + 1;
          // One blank row separates tables as well as many.
          if (number > rowNumber + 1) rows.push({ number: number - 1, cells: [] });
          rowNumber = number;
          rows.push({ number, cells: [] });
          column = 0;
          isHiddenRow = isOn(hidden);
        } else if (name === 'c') {
          column = readColumn(r) ?? column + 1;
          cell = { column, style: Number(s), type: t, value: '' };
        } else if (name === 'rPh') isReading = true;
        else if (name === 'mergeCell' && merged.length < maxMergedRanges) merged.push(...readRange(ref));
      },
      close(name) {
        isValue = false;
        if (name === 'rPh') isReading = false;
        if (name !== 'c') return;
        closeCell();
        cell = null;
      },
      text(text) {
        if (isValue && cell !== null) cell.value += text;
      },
    },
    takeRows() {
      const taken = rows.splice(0);
      for (const range of merged) repeatMerged(taken, range, count);
      return taken;
    },
  };
}

const isOn = (value: string): boolean => value === '1' || value === 'true';

function readCell(
  { type, value, style }: OpenCell,
  { strings, format }: Pick<SheetContext, 'strings' | 'format'>,
): string {
  switch (type) {
    case 's':
      return strings[Number(value)] ?? '';
    case 'b':
      return isOn(value) ? 'TRUE' : 'FALSE';
    case 'e':
      return '';
    case 'd':
      return value.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '');
    case 'n': {
      const number = Number(value);
      return value.trim() === '' || !Number.isFinite(number) ? value : format(style, number);
    }
    default:
      return unescapeCharacters(value);
  }
}

/** Returns the number of the column of a reference such as `AB12`, from 1. */
function readColumn(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}

function readRange(reference: string): Range[] {
  const [, first = '', top, last = '', bottom] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  const [firstColumn, lastColumn] = [readColumn(first), readColumn(last)];
  if (firstColumn === null || lastColumn === null) return [];
  return [{ firstColumn, lastColumn, firstRow: Number(top), lastRow: Number(bottom) }];
}

/** Repeats the text of merged cells in each row, and in each column beside others, where it is a header. A title stays alone. */
function repeatMerged(rows: readonly SheetRow[], range: Range, count: () => void): void {
  const first = rows.findIndex(({ number }) => number === range.firstRow);
  const text = rows[first]?.cells.find(({ column }) => column === range.firstColumn)?.text;
  if (text === undefined) return;
  for (let index = first; index < rows.length; index += 1) {
    const row = rows[index];
    if (row === undefined || row.number > Math.min(range.lastRow, lastRow)) return;
    const isBeside = row.cells.some(({ column }) => column < range.firstColumn || column > range.lastColumn);
    if (!isBeside) continue;
    for (let column = range.firstColumn; column <= Math.min(range.lastColumn, lastColumn); column += 1) {
      if (row.cells.some((cell) => cell.column === column)) continue;
      count();
      row.cells.push({ column, text });
    }
    row.cells.sort((a, b) => a.column - b.column);
  }
}

/** Collects the shared texts of a workbook, without the readings of East Asian words. */
export function collectStrings(strings: string[]): XmlHandler {
  let current = '';
  let isText = false;
  let isReading = false;
  return {
    open(name) {
      if (name === 'si') current = '';
      if (name === 'rPh') isReading = true;
      isText = name === 't' && !isReading;
    },
    close(name) {
      if (name === 'si') strings.push(unescapeCharacters(current));
      if (name === 'rPh') isReading = false;
      isText = false;
    },
    text(text) {
      if (isText) current += text;
    },
  };
}

/** Characters that XML cannot hold are written as `_x000D_`. */
const unescapeCharacters = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
