import type { TextBlock } from './sections.ts';

/** A paragraph or a table. */
interface Block {
  isHeading: boolean;
  isListItem: boolean;
  text: string;
}

interface Paragraph {
  kind: 'paragraph';
  text: string;
  isHeading: boolean;
  isListItem: boolean;
  /** The mark at its end was deleted, which joins it with the next paragraph. */
  isJoined: boolean;
  /** The content of its text boxes. */
  inner: Block[];
}

type Frame =
  | Paragraph
  | { kind: 'table'; rows: string[] }
  | { kind: 'row'; cells: string[]; isDeleted: boolean }
  | { kind: 'cell'; texts: string[] };

/** Collects the blocks of one part: paragraphs, lists (one block each) and tables (a line per row). */
export class DocxFlow {
  readonly #blocks: Block[] = [];
  readonly #frames: Frame[] = [];
  /** Text outside of paragraphs, and of paragraphs without an end. It belongs to the next paragraph. */
  #loose = '';
  /** Counts letters and other visible characters. */
  visible = 0;

  get paragraph(): Paragraph | null {
    const top = this.#frames.at(-1);
    return top?.kind === 'paragraph' ? top : null;
  }

  add(text: string): void {
    if (text.trim() !== '') this.visible += 1;
    if (this.paragraph !== null) this.paragraph.text += text;
    else this.#loose += text;
  }

  open(kind: Frame['kind']): void {
    this.#frames.push(createFrame(kind));
    if (this.paragraph !== null) this.paragraph.text = this.#takeLoose();
  }

  close(): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (frame.kind === 'cell') frame.texts.push(this.#takeLoose());
    if (frame.kind !== 'paragraph') {
      this.#put({ isHeading: false, isListItem: false, text: joinFrame(frame) }, frame);
      return;
    }
    if (frame.isJoined) this.#loose = frame.text;
    else this.#put(frame, frame);
    for (const block of frame.inner) this.#put(block, frame);
  }

  deleteRow(): void {
    const row = this.#frames.findLast((frame) => frame.kind === 'row');
    if (row !== undefined) row.isDeleted = true;
  }

  *takeBlocks(): Generator<TextBlock> {
    this.#blocks.push({ isHeading: false, isListItem: false, text: this.#takeLoose() });
    let list: string[] = [];
    for (const { isHeading, isListItem, text } of this.#blocks.splice(0)) {
      if (text.trim() === '') continue;
      if (isListItem && !isHeading) {
        list.push(`- ${text}`);
        continue;
      }
      yield* toBlocks(list);
      list = [];
      yield { page: null, isHeading, text };
    }
    yield* toBlocks(list);
  }

  #takeLoose(): string {
    const loose = this.#loose;
    this.#loose = '';
    return loose;
  }

  #put(block: Block, from: Frame): void {
    const target = this.#frames.at(-1);
    if (from.kind === 'row' && from.isDeleted) return;
    if (target === undefined) this.#blocks.push(block);
    else if (target.kind === 'paragraph') target.inner.push(block);
    else if (target.kind === 'cell') target.texts.push(block.text);
    else if (target.kind === 'row') target.cells.push(block.text);
    else if (block.text.trim() !== '') target.rows.push(block.text);
  }
}

function createFrame(kind: Frame['kind']): Frame {
  switch (kind) {
    case 'paragraph':
      return { kind, text: '', isHeading: false, isListItem: false, isJoined: false, inner: [] };
    case 'table':
      return { kind, rows: [] };
    case 'row':
      return { kind, cells: [], isDeleted: false };
    case 'cell':
      return { kind, texts: [] };
    default:
      return kind satisfies never;
  }
}

function joinFrame(frame: Exclude<Frame, Paragraph>): string {
  if (frame.kind === 'table') return frame.rows.join('\n');
  if (frame.kind === 'cell')
    return frame.texts
      .filter((text) => text.trim() !== '')
      .join(' ')
      .trim();
  return frame.cells.every((text) => text === '') ? '' : frame.cells.join(' | ');
}

const toBlocks = (list: readonly string[]): TextBlock[] =>
  list.length === 0 ? [] : [{ page: null, isHeading: false, text: list.join('\n') }];
