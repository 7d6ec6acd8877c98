interface TableRow {
  /** Of the text, from 1. */
  line: number;
  cells: string[];
}

export interface Table {
  rows: TableRow[];
  /** The lines whose quotation mark is not closed. They are not in `rows`. */
  unclosed: number[];
}

const separators = ['\t', ';', ',', '|'];

/** Spreadsheets write or read the separator in a line of its own before the table. */
const declaration = /^sep=([\t;,|])\n/i;

/** Parses pasted cells or a CSV file. Unless it names its separator, it is the one that splits most rows into the same number of cells. */
export function parseTable(text: string): Table {
  const clean = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [line = '', declared] = declaration.exec(clean) ?? [];
  if (declared !== undefined) {
    const { rows, unclosed } = splitRows(clean.slice(line.length), declared);
    return {
      rows: rows.map((row) => ({ ...row, line: row.line + 1 })),
      unclosed: unclosed.map((each) => each + 1),
    };
  }
  const candidates = separators.map((separator) => splitRows(clean, separator));
  const [best] = candidates.toSorted((a, b) => compareScores(scoreRows(b.rows), scoreRows(a.rows)));
  return best ?? { rows: [], unclosed: [] };
}

/** Rows with the most frequent number of cells, whether that is two, and rows without a blank after the separator. */
function scoreRows(rows: readonly TableRow[]): number[] {
  const split = rows.map(({ cells }) => cells).filter(({ length }) => length > 1);
  const groups = [...Map.groupBy(split, ({ length }) => length).values()];
  const most = Math.max(0, ...groups.map(({ length }) => length));
  const hasPairs = groups.some((group) => group.length === most && group[0]?.length === 2);
  return [most, Number(hasPairs), split.filter(([, second]) => !second?.startsWith(' ')).length];
}

function compareScores(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return (a[differing] ?? 0) - (b[differing] ?? 0);
}

/** Splits a text whose lines end with LF. A line with an unclosed quotation mark does not take the next lines with it. */
function splitRows(text: string, separator: string): Table {
  const rows: TableRow[] = [];
  const unclosed: number[] = [];
  const blanks = separator === '\t' ? '[^\\S\\t\\n]*' : '[^\\S\\n]*';
  const end = `${blanks}(?:${separator === '|' ? '\\|' : separator}|\\n|$)`;
  const quotedCell = new RegExp(`${blanks}"((?:[^"]|"")*)"${end}`, 'y');
  const openQuote = new RegExp(`${blanks}"[^"\\n]*(?:""[^"\\n]*)*(?:\\n|$)`, 'y');
  const plainCell = new RegExp(`([^${separator}\\n]*)(?:[${separator}\\n]|$)`, 'y');
  const matchAt = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let line = 1;
  let row: TableRow = { line, cells: [] };
  const endRow = (isComplete: boolean) => {
    if (!isComplete) unclosed.push(row.line);
    else if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
    row = { line, cells: [] };
  };
  for (let at = 0; at < text.length; ) {
    const quoted = matchAt(quotedCell, at);
    const open = quoted === null ? matchAt(openQuote, at) : null;
    const found = quoted ?? open ?? matchAt(plainCell, at);
    if (found === null) break;
    const [all, cell = ''] = found;
    line += all.split('\n').length - 1;
    at += all.length;
    if (open === null) row.cells.push(quoted === null ? cell : cell.replaceAll('""', '"'));
    if (all.endsWith('\n') || at >= text.length) endRow(open === null);
  }
  return { rows, unclosed };
}

/** Spreadsheets run cells that begin with these characters as formulas. */
const formula = /^'*[=+\-@]/;

/** Whether the cell begins with an apostrophe that keeps spreadsheets from taking it for a formula. */
export const isGuarded = (cell: string): boolean => cell.startsWith("'") && formula.test(cell);

/** Writes CSV that `parseTable` reads back and that no spreadsheet takes for formulas: guarded cells have one more apostrophe. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const formatCell = (cell: string) => {
    const guarded = formula.test(cell) ? `'${cell}` : cell;
    return /[",;|\r\n\t]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  return `\uFEFF${rows.map((row) => row.map(formatCell).join(',')).join('\r\n')}\r\n`;
}
