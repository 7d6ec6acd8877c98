import type { TextBlock } from './sections.ts';

/** An element of mammoth's document tree; only the members in use. */
export interface DocxElement {
  type: string;
  children?: DocxElement[];
  /** Text. */
  value?: string;
  /** Paragraph. */
  styleId?: string | null;
  styleName?: string | null;
  numbering?: object | null;
  /** Checkbox. */
  checked?: boolean;
  /** Document. */
  notes?: { resolve(reference: DocxElement): { body: DocxElement[] } | null };
}

const headingStyle = /^(?:title|heading ?[1-9])$/i;

/** Paragraphs, headings, lists (one block each), tables (a row a line) and, at the end, foot- and endnotes. */
export function* docxBlocks(document: DocxElement): Iterable<TextBlock> {
  const noteReferences: DocxElement[] = [];
  yield* blocksOf(document.children ?? [], noteReferences);
  for (const reference of noteReferences) {
    yield* blocksOf(document.notes?.resolve(reference)?.body ?? [], []);
  }
}

function* blocksOf(elements: readonly DocxElement[], noteReferences: DocxElement[]): Iterable<TextBlock> {
  let list: string[] = [];
  for (const element of elements) {
    const text = textOf(element, noteReferences);
    if (isHeading(element) || !element.numbering) {
      yield* block(list.join('\n'), false);
      list = [];
      yield* block(text, isHeading(element));
    } else {
      list.push(`- ${text}`);
    }
  }
  yield* block(list.join('\n'), false);
}

function block(text: string, isHeading: boolean): TextBlock[] {
  return text.trim() === '' ? [] : [{ page: null, isHeading, text }];
}

function isHeading(element: DocxElement): boolean {
  return headingStyle.test(element.styleName ?? '') || headingStyle.test(element.styleId ?? '');
}

function textOf(element: DocxElement, noteReferences: DocxElement[]): string {
  const children = element.children ?? [];
  const each = (): string[] => children.map((child) => textOf(child, noteReferences));
  switch (element.type) {
    case 'text':
      return element.value ?? '';
    case 'tab':
      return '\t';
    case 'break':
      return '\n';
    case 'checkbox':
      return element.checked ? '[x]' : '[ ]';
    case 'noteReference':
      noteReferences.push(element);
      return '';
    case 'table':
      return each().join('\n');
    case 'tableRow':
      return each().join(' | ');
    case 'tableCell':
      return each().join(' ').trim();
    default:
      return each().join('');
  }
}
