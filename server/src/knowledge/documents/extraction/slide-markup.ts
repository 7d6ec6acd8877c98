import type { XmlHandler } from './read-xml.ts';
import type { TextBlock } from './sections.ts';
import { type TableCell, type TableRow, tableBlocks } from './table-rows.ts';

type Attributes = Readonly<Record<string, string>>;

interface Table {
  rows: TableRow[];
  /** Texts above, by column, for cells that continue them. */
  above: Map<number, string>;
  cells: TableCell[];
  column: number;
  last: string;
  hasHeader: boolean;
}

const titles = new Set(['title', 'ctrTitle']);
/** Placeholders for the number, date and footer, which each slide repeats. */
const repeated = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const slideBreaks: Readonly<Record<string, string>> = { br: '\n', tab: '\t' };

/** Reads PresentationML: a block for each shape, with a line for each paragraph. Source: ECMA-376, part 1, 19.3 and 21.1. */
export class SlideMarkup implements XmlHandler {
  /** Ids of relationships to the data of diagrams. */
  readonly diagrams: string[] = [];
  isHidden = false;
  readonly #count: () => void;
  readonly #placeholders: readonly string[] | null;
  readonly #blocks: TextBlock[] = [];
  readonly #path: string[] = [];
  #placeholder: string | null = null;
  #paragraph = '';
  #lines: string[] = [];
  #table: Table | null = null;
  #skippedLevels = 0;
  /** Whether the first alternative had text. */
  #hadText = false;

  /** With `placeholders`, reads only these. */
  constructor(count: () => void, placeholders?: readonly string[]) {
    this.#count = count;
    this.#placeholders = placeholders ?? null;
  }

  /** The title comes first, wherever it stands among the shapes. */
  takeBlocks(): TextBlock[] {
    this.#endBody();
    const blocks = this.#blocks.splice(0);
    return [...blocks.filter(({ isHeading }) => isHeading), ...blocks.filter(({ isHeading }) => !isHeading)];
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skippedLevels > 0 || (name === 'Fallback' && this.#hadText)) {
      this.#skippedLevels += 1;
      return;
    }
    this.#path.push(name);
    if (name === 'sld') this.isHidden = attributes.show === '0' || attributes.show === 'false';
    else if (name === 'AlternateContent') this.#hadText = false;
    else if (name === 'sp' || name === 'graphicFrame') this.#placeholder = null;
    else if (name === 'ph') this.#placeholder = attributes.type ?? 'body';
    else if (name === 'relIds') this.diagrams.push(attributes.dm ?? '');
    else if (name === 'tbl')
      this.#table = { rows: [], above: new Map(), cells: [], column: 0, last: '', hasHeader: false };
    else if (name === 'tblPr' && this.#table !== null) this.#table.hasHeader = attributes.firstRow === '1';
    else if (name === 'tc' && this.#table !== null) this.#openCell(this.#table, attributes);
    this.#paragraph += slideBreaks[name] ?? '';
  }

  close(name: string): void {
    if (this.#skippedLevels > 0) {
      this.#skippedLevels -= 1;
      return;
    }
    this.#path.pop();
    if (name === 'p') this.#endParagraph();
    else if (name === 'txBody' && this.#table === null) this.#endBody();
    else if (name === 'tc' && this.#table !== null) this.#closeCell(this.#table);
    else if (name === 'tr' && this.#table !== null) this.#closeRow(this.#table);
    else if (name === 'tbl' && this.#table !== null) {
      for (const block of tableBlocks(this.#table.rows)) this.#blocks.push(block);
      this.#table = null;
    }
  }

  text(text: string): void {
    if (this.#skippedLevels > 0 || this.#path.at(-1) !== 't') return;
    this.#paragraph += text;
    this.#hadText = true;
  }

  #endParagraph(): void {
    this.#lines.push(this.#paragraph);
    this.#paragraph = '';
  }

  #endBody(): void {
    const text = this.#takeLines();
    const kind = this.#placeholder ?? '';
    if (text === '' || repeated.has(kind)) return;
    if (this.#placeholders !== null && !this.#placeholders.includes(kind)) return;
    this.#blocks.push({ page: null, isHeading: titles.has(kind), text });
  }

  #takeLines(): string {
    const lines = this.#lines.splice(0).filter((line) => line.trim() !== '');
    return lines.join('\n');
  }

  /** A merged cell continues the cell above or before it. */
  #openCell(table: Table, { hMerge, vMerge }: Attributes): void {
    this.#count();
    const isHeader = table.hasHeader && table.rows.length === 0;
    table.column += 1;
    if (isOn(vMerge)) table.last = table.above.get(table.column) ?? '';
    else if (!isOn(hMerge) || !isHeader) table.last = '';
  }

  #closeCell(table: Table): void {
    table.last = this.#takeLines() || table.last;
    table.above.set(table.column, table.last);
    if (table.last !== '') table.cells.push({ column: table.column, text: table.last });
  }

  #closeRow(table: Table): void {
    const isFirst = table.rows.length === 0;
    table.rows.push({ cells: table.cells, ...(table.hasHeader && { isHeader: isFirst }) });
    table.cells = [];
    table.column = 0;
    table.last = '';
  }
}

const isOn = (value = ''): boolean => value === '1' || value === 'true';
