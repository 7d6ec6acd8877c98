import type { TextBlock } from './sections.ts';

/** Only the used members of an element in mammoth's document tree. */
export interface DocxElement {
  type: string;
  children?: DocxElement[];
  value?: string;
  styleId?: string | null;
  styleName?: string | null;
  numbering?: object | null;
  checked?: boolean;
  notes?: { resolve(reference: DocxElement): { body: DocxElement[] } | null };
}

const headingStyle = /^(?:title|heading ?[1-9])$/i;

/** Returns paragraphs, headings, lists (one block each), tables (a line per row) and then notes. */
export function* docxBlocks(document: DocxElement): Iterable<TextBlock> {
  const noteReferences: DocxElement[] = [];
  yield* readBlocks(document.children ?? [], noteReferences);
  for (const reference of noteReferences) {
    yield* readBlocks(document.notes?.resolve(reference)?.body ?? [], []);
  }
}

function* readBlocks(elements: readonly DocxElement[], noteReferences: DocxElement[]): Iterable<TextBlock> {
  let list: string[] = [];
  for (const element of elements) {
    const text = readText(element, noteReferences);
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

function readText(element: DocxElement, noteReferences: DocxElement[]): string {
  const children = element.children ?? [];
  const texts = (): string[] => children.map((child) => readText(child, noteReferences));
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
      return texts().join('\n');
    case 'tableRow':
      return texts().join(' | ');
    case 'tableCell':
      return texts().join(' ').trim();
    default:
      return texts().join('');
  }
}
