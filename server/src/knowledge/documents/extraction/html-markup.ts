import type { Handler } from 'htmlparser2';
import type { TextBlock } from './sections.ts';
import { createCellCounter, type TableCell, type TableRow, tableBlocks } from './table-rows.ts';

/** Elements without visible or current text. Struck-out text no longer holds. */
const unread = new Set(
  'script style template noscript svg iframe object canvas audio video datalist rt rp del s strike'.split(
    ' ',
  ),
);
const isHidden = (attributes: Readonly<Record<string, string>>): boolean =>
  'hidden' in attributes || /(?:^|;)\s*display\s*:\s*none/i.test(attributes.style ?? '');

const headings = new Set('h1 h2 h3 h4 h5 h6 title'.split(' '));
const blockElements = new Set(
  (
    'html head body p div section article aside main header footer nav address blockquote pre ul ol li dl dt dd form fieldset ' +
    'legend figure figcaption caption details summary hr option center dir menu dialog'
  ).split(' '),
);
const tableElements = new Set('table thead tbody tfoot tr td th'.split(' '));
/** The most that a browser accepts. */
const maxSpan = 1000;

type Block = TextBlock & { isListItem: boolean };

interface Cell {
  blocks: Block[];
  columns: number;
  rows: number;
  isHeader: boolean;
}

interface Table {
  rows: Cell[][];
  /** Holds headings or other tables, as pages of old programs do to place them. */
  isLayout: boolean;
}

/** Collects headings, paragraphs, lists (one block each) and tables from the events of htmlparser2. */
export class HtmlMarkup implements Partial<Handler> {
  readonly #blocks: Block[] = [];
  readonly #tables: Table[] = [];
  /** The open cell of each open table. */
  readonly #cells: (Cell | null)[] = [];
  readonly #count = createCellCounter();
  #text = '';
  #skippedLevels = 0;
  #listLevels = 0;
  #preformattedLevels = 0;

  onopentag(name: string, attributes: Record<string, string>): void {
    if (this.#skippedLevels > 0 || unread.has(name) || isHidden(attributes)) {
      this.#skippedLevels += 1;
      return;
    }
    if (isBlock(name)) this.#flush();
    if (name === 'br') this.#text += '\n';
    else if (name === 'img') this.#text += ` ${attributes.alt ?? ''} `;
    else if (name === 'li') this.#listLevels += 1;
    else if (name === 'pre') this.#preformattedLevels += 1;
    else if (name === 'table') this.#openTable();
    else if (name === 'tr') this.#openRow();
    else if (name === 'td' || name === 'th') this.#openCell(name, attributes);
  }

  ontext(text: string): void {
    if (this.#skippedLevels > 0) return;
    this.#text += this.#preformattedLevels > 0 ? text : text.replaceAll(/\s+/g, ' ');
  }

  onclosetag(name: string): void {
    if (this.#skippedLevels > 0) {
      this.#skippedLevels -= 1;
      return;
    }
    if (isBlock(name)) this.#flush(headings.has(name));
    if (name === 'li') this.#listLevels -= 1;
    else if (name === 'pre') this.#preformattedLevels -= 1;
    else if (name === 'td' || name === 'th') this.#cells.splice(-1, 1, null);
    else if (name === 'table') this.#closeTable();
  }

  *takeBlocks(): Generator<TextBlock> {
    this.#flush();
    yield* joinLists(this.#blocks.splice(0));
  }

  /** The innermost cell that is open, or the page. */
  get #target(): Block[] {
    return this.#cells.findLast((cell) => cell !== null)?.blocks ?? this.#blocks;
  }

  #flush(isHeading = false): void {
    const text = this.#text.trim();
    this.#text = '';
    if (text === '') return;
    const target = this.#target;
    const last = target.at(-1);
    // A page often repeats its title as its first heading.
    if (isHeading && last?.isHeading === true && last.text === text) return;
    target.push({ page: null, isHeading, isListItem: this.#listLevels > 0, text });
    const table = this.#tables.at(-1);
    if (isHeading && table !== undefined) table.isLayout = true;
  }

  #openTable(): void {
    for (const table of this.#tables.slice(-1)) table.isLayout = true;
    this.#tables.push({ rows: [], isLayout: false });
    this.#cells.push(null);
  }

  #openRow(): void {
    this.#cells.splice(-1, 1, null);
    this.#tables.at(-1)?.rows.push([]);
  }

  #openCell(name: string, { colspan, rowspan }: Record<string, string>): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    if (table.rows.length === 0) table.rows.push([]);
    this.#count();
    const cell = { blocks: [], columns: readSpan(colspan), rows: readSpan(rowspan), isHeader: name === 'th' };
    table.rows.at(-1)?.push(cell);
    this.#cells.splice(-1, 1, cell);
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    this.#cells.pop();
    if (table === undefined) return;
    const target = this.#target;
    if (table.isLayout) {
      for (const { blocks } of table.rows.flat()) for (const block of blocks) target.push(block);
      return;
    }
    for (const block of tableBlocks(toTableRows(table.rows, this.#count)))
      target.push({ ...block, isListItem: false });
  }
}

const isBlock = (name: string): boolean =>
  blockElements.has(name) || headings.has(name) || tableElements.has(name);

const readSpan = (value = '1'): number => Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), maxSpan);

/** Repeats a cell in each row that it spans, and a header in each column. */
function toTableRows(rows: readonly Cell[][], count: () => void): TableRow[] {
  const spanning = new Map<number, { text: string; rows: number }>();
  const marksHeaders = rows.flat().some((cell) => cell.isHeader);
  return rows.map((row) => {
    const isHeader = row.length > 0 && row.every((cell) => cell.isHeader);
    const cells: TableCell[] = [];
    let column = 0;
    const put = (text: string): void => {
      if (text !== '') cells.push({ column, text });
      column += 1;
    };
    const putSpanning = (): void => {
      for (let cell = spanning.get(column); cell !== undefined; cell = spanning.get(column)) {
        count();
        cell.rows -= 1;
        if (cell.rows === 0) spanning.delete(column);
        put(cell.text);
      }
    };
    for (const cell of row) {
      putSpanning();
      const text = [...joinLists(cell.blocks)].map((block) => block.text).join('\n');
      for (let part = 0; part < cell.columns; part += 1) {
        if (part > 0) count();
        const own = part === 0 || isHeader ? text : '';
        if (cell.rows > 1) spanning.set(column, { text: own, rows: cell.rows - 1 });
        put(own);
      }
    }
    putSpanning();
    return marksHeaders ? { cells, isHeader } : { cells };
  });
}

function* joinLists(blocks: readonly Block[]): Generator<TextBlock> {
  const list: string[] = [];
  const takeList = (): TextBlock[] =>
    list.length === 0 ? [] : [{ page: null, isHeading: false, text: list.splice(0).join('\n') }];
  for (const { isListItem, ...block } of blocks) {
    if (isListItem && !block.isHeading) {
      list.push(`- ${block.text}`);
      continue;
    }
    yield* takeList();
    yield block;
  }
  yield* takeList();
}
