/** Parses pasted cells or a CSV file. Tab, semicolon or comma separates the cells, whichever the first line uses. */
export function parseTable(text: string): string[][] {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const separator = findSeparator(clean);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endCell = () => {
    row.push(removeGuard(cell));
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (row.some((value) => value.trim() !== '')) rows.push(row);
    row = [];
  };
  for (let position = 0; position < clean.length; position += 1) {
    const character = clean.charAt(position);
    if (quoted && character === '"' && clean.charAt(position + 1) === '"') {
      cell += '"';
      position += 1;
    } else if (character === '"' && (quoted || cell === '')) quoted = !quoted;
    else if (quoted) cell += character;
    else if (character === separator) endCell();
    else if (character === '\n') endRow();
    else cell += character;
  }
  endRow();
  return rows;
}

function findSeparator(text: string): string {
  const firstLine = text.replaceAll(/"[^"]*"/g, '').split('\n', 1)[0] ?? '';
  return ['\t', ';', ','].find((separator) => firstLine.includes(separator)) ?? ',';
}

/** Spreadsheets run cells that begin with these characters as formulas. */
const formula = /^[=+\-@]/;

const removeGuard = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;

/** Writes CSV that `parseTable` reads back and that no spreadsheet takes for formulas. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const formatCell = (cell: string) => {
    const guarded = formula.test(cell) ? `'${cell}` : cell;
    return /[",;\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  return `\uFEFF${rows.map((row) => row.map(formatCell).join(',')).join('\r\n')}\r\n`;
}
