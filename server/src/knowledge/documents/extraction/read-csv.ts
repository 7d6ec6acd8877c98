import { CsvError, type Options, parse } from 'csv-parse/sync';
import type { ExtractedText } from './extraction.ts';
import { decodeTextFile } from './read-txt.ts';
import { countCodePoints, toExtractedText } from './sections.ts';
import { createCellCounter, type TableRow, tableBlocks } from './table-rows.ts';

const delimiters = [',', ';', '\t', '|'];
const sampledLines = 20;
const sampledCharacters = 64 * 1024;

/** Counts the characters of the file as it is. */
export function readCsv(bytes: Uint8Array): ExtractedText {
  const text = decodeTextFile(bytes);
  const { sections } = toExtractedText(tableBlocks(readRows(text)));
  return { sections, chars: sections.length === 0 ? 0 : countCodePoints(text) };
}

/** Reads a file with broken quotation marks as if they were ordinary characters. */
function readRows(text: string): TableRow[] {
  const { delimiter, start } = findDelimiter(text);
  const content = text.slice(start);
  try {
    return parseRows(content, { delimiter, relax_quotes: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return parseRows(content, { delimiter, quote: null });
  }
}

function parseRows(text: string, options: Options): TableRow[] {
  const rows: TableRow[] = [];
  const count = createCellCounter();
  parse(text, {
    ...options,
    bom: true,
    relax_column_count: true,
    on_record(record: string[]) {
      const cells = [];
      for (const [column, cell] of record.entries()) {
        count();
        if (cell.trim() !== '') cells.push({ column, text: cell });
      }
      rows.push({ cells });
      return null; // collects nothing itself
    },
  });
  return rows;
}

/** Excel writes the delimiter into an own first line, or uses that of the country. Returns the most regular one. */
function findDelimiter(text: string): { delimiter: string; start: number } {
  const [line, declared] = /^\ufeff?sep=(.)\r?\n/i.exec(text.slice(0, 10)) ?? [];
  if (line !== undefined && declared !== undefined) return { delimiter: declared, start: line.length };
  const sample = text.slice(0, sampledCharacters).replaceAll(/"[^"]*"/g, '');
  const lines = sample
    .split(/\r\n|[\r\n]/)
    .slice(0, sampledLines)
    .filter((each) => each.trim() !== '');
  const rate = (delimiter: string): number => {
    const counts = lines.map((each) => each.split(delimiter).length - 1);
    const usual = counts[0] ?? 0;
    return usual === 0 ? 0 : usual * counts.filter((count) => count === usual).length;
  };
  const [best = ','] = delimiters.toSorted((a, b) => rate(b) - rate(a));
  return { delimiter: best, start: 0 };
}
