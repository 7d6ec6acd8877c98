import { ExtractionError } from './extraction.ts';
import type { TextBlock } from './sections.ts';

/** Rows have only cells with text, in the order of their columns. */
export interface TableCell {
  column: number;
  text: string;
}

export interface TableRow {
  cells: readonly TableCell[];
  /** Undefined if the format does not mark headers. */
  isHeader?: boolean;
}

/** Bounds the memory of a table. */
const maxCells = 1_000_000;
/** A long header repeated with many rows would otherwise fill the memory. In UTF-16 units. */
const maxTextLength = 2 ** 25;
const longestHeaderCell = 100;
const comparedRows = 50;

/** Counts the cells of one document. Throws `too_large` beyond the limit. */
export function createCellCounter(): () => void {
  let cells = 0;
  return () => {
    cells += 1;
    if (cells > maxCells)
      throw new ExtractionError('too_large', `The document has more than ${maxCells} table cells`);
  };
}

/**
 * Writes each row below a header as a block of `Header: value` lines, so that a row can be understood without the others. Rows without
 * a header become one block of lines.
 */
export function* tableBlocks(rows: readonly TableRow[]): Generator<TextBlock> {
  let header: ReadonlyMap<number, string> = new Map();
  let isHeaderUsed = true;
  let mayBegin = true;
  let lines: string[] = [];
  let length = 0;
  const counted = (text: string): string => {
    length += text.length;
    if (length > maxTextLength) throw new ExtractionError('too_large', 'The tables have too much text');
    return text;
  };
  const toBlock = (text: string): TextBlock => ({ page: null, isHeading: false, text });
  const takeLines = (): TextBlock[] => {
    const text = lines.join('\n');
    lines = [];
    return text === '' ? [] : [toBlock(text)];
  };
  const takeHeader = (): void => {
    if (!isHeaderUsed) lines.push([...header.values()].join(' | '));
    isHeaderUsed = true;
  };
  for (const [index, { cells: raw, isHeader }] of rows.entries()) {
    const cells = raw.map(({ column, text }) => ({ column, text: onOneParagraph(text) }));
    if (cells.length === 0) {
      mayBegin = true;
      continue;
    }
    if (isHeader ?? (mayBegin && looksLikeHeader(rows, index, header))) {
      yield* takeLines();
      const continues = isHeader === true && !isHeaderUsed;
      if (!continues) takeHeader();
      header = joinHeaders(continues ? header : new Map(), cells);
      isHeaderUsed = false;
      mayBegin = false;
      continue;
    }
    if (header.size === 0) lines.push(counted(cells.map(({ text }) => text).join(' | ')));
    else yield toBlock(counted(toLines(cells, header)));
    isHeaderUsed ||= header.size > 0;
    // Titles above the header have one cell.
    mayBegin &&= header.size === 0 && cells.length === 1;
  }
  takeHeader();
  yield* takeLines();
}

/** Without blank lines, which separate paragraphs. */
const onOneParagraph = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/** Tables may have a header of two rows. */
function joinHeaders(
  above: ReadonlyMap<number, string>,
  cells: readonly TableCell[],
): ReadonlyMap<number, string> {
  const joined = new Map(above);
  for (const { column, text } of cells) {
    const words = text.replaceAll(/\s+/g, ' ').replace(/ ?:$/, '');
    const upper = above.get(column);
    joined.set(column, upper === undefined || upper === words ? words : `${upper} ${words}`);
  }
  return joined;
}

/** A single cell is a title of the rows below it. */
function toLines(cells: readonly TableCell[], header: ReadonlyMap<number, string>): string {
  const [first] = cells;
  if (cells.length === 1 && header.size > 1 && first !== undefined && !isNumeric(first.text))
    return first.text;
  return cells
    .map(({ column, text }) => (header.has(column) ? `${header.get(column)}: ${text}` : text))
    .join('\n');
}

/** Currencies, units, dates and times count as numbers. */
const isNumeric = (text: string): boolean => /\d/.test(text) && /^[^\p{L}]*\p{L}{0,3}\.?$/u.test(text);
const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text);

/** A header has different names, which do not return as values. After a blank row, it must differ from the current header. */
function looksLikeHeader(
  rows: readonly TableRow[],
  index: number,
  current: ReadonlyMap<number, string>,
): boolean {
  const { cells } = rows[index] ?? { cells: [] };
  const next = rows[index + 1]?.cells ?? [];
  if (cells.length < 2 || next.length < 2) return false;
  if (!cells.some(({ text }) => /\p{L}/u.test(text))) return false;
  if (cells.some(({ text }) => text.length > longestHeaderCell || (isNumeric(text) && !isYear(text))))
    return false;
  if (new Set(cells.map(({ text }) => text)).size < cells.length) return false;
  const names = new Map(cells.map(({ column, text }) => [column, text]));
  const following = rows.slice(index + 1, index + 1 + comparedRows).flatMap((row) => row.cells);
  if (following.some(({ column, text }) => names.get(column) === text)) return false;
  return (
    current.size === 0 ||
    next.some(({ column, text }) => names.has(column) && isNumeric(text)) ||
    cells.length !== current.size ||
    cells.some(({ column }) => !current.has(column))
  );
}
