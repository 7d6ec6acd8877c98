import { takeStart } from '../../platform/shared/cut-text.ts';
import type { DocumentSection } from '../assistant-provider/assistant-provider.ts';
import { splitSentences } from './sentences.ts';
import { columnsOf } from './words.ts';

export interface Passage {
  page: number | null;
  heading: string | null;
  text: string;
}

/** Characters. Longer paragraphs are split between sentences. */
const longestPassage = 1_400;
/** Shorter paragraphs are joined with the next one under the same heading. */
const shortestPassage = 250;
const maxHeadingColumns = 90;
/** Headings by style may be whole texts. They are repeated with every passage, so they are truncated. */
const longestHeading = 300;

/**
 * Creates a function that splits the sections of one document, in order, into passages. No passage is empty or crosses
 * a section. A section with the page and heading of the previous one continues it, also under a heading in its text.
 */
export function createPassageSplitter(): (section: DocumentSection) => Generator<Passage> {
  let before: string | undefined;
  let heading: string | null = null;
  return function* ({ page, heading: sectionHeading, text }) {
    const key = JSON.stringify([page, sectionHeading]);
    if (key !== before) heading = sectionHeading === null ? null : takeStart(sectionHeading, longestHeading);
    before = key;
    let pending = '';
    const paragraphs = splitParagraphs(text);
    for (const [index, paragraph] of paragraphs.entries()) {
      const isHeading = isHeadingOf(paragraph, paragraphs[index + 1]);
      if (pending !== '' && (isHeading || pending.length >= shortestPassage)) {
        yield { page, heading, text: pending };
        pending = '';
      }
      if (isHeading) {
        heading = paragraph;
        continue;
      }
      const pieces = splitLongText(pending === '' ? paragraph : `${pending}\n\n${paragraph}`);
      pending = pieces.pop() ?? '';
      for (const piece of pieces) yield { page, heading, text: piece };
    }
    if (pending !== '') yield { page, heading, text: pending };
  };
}

function splitParagraphs(text: string): string[] {
  // PostgreSQL rejects NUL and unpaired surrogates.
  const clean = text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ');
  const blocks = clean.split(/\n\s*\n/);
  return blocks
    .flatMap((block) => (hasUnwrappedParagraphs(block) ? block.split('\n') : [block]))
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

/** Whether each line is a paragraph, as editors without hard wrapping write them. */
function hasUnwrappedParagraphs(block: string): boolean {
  const lines = block.split('\n');
  return lines.length > 1 && columnsOf(block) / lines.length > 160;
}

/** A short line is a heading only if running text follows, so that lists are not headings. */
function isHeadingOf(paragraph: string, next: string | undefined): boolean {
  return next !== undefined && looksLikeHeading(paragraph) && !looksLikeHeading(next);
}

function looksLikeHeading(paragraph: string): boolean {
  return (
    columnsOf(paragraph) <= maxHeadingColumns &&
    !paragraph.includes('\n') &&
    !/[.!?:;,…。！？：；，、｡．؟۔।៖។]["'”»)）」』】]*$/.test(paragraph) &&
    /\p{L}/u.test(paragraph)
  );
}

/** Splits into pieces of at most `longestPassage`, between sentences, words or characters: the first of them that fits. */
function splitLongText(text: string): string[] {
  if (text.length <= longestPassage) return [text];
  const beginning = takeStart(text, longestPassage);
  const lastSentence = splitSentences(beginning).at(-1)?.start ?? 0;
  const between = lastSentence > 0 ? lastSentence : beginning.lastIndexOf(' ');
  const cut = between > 0 ? between : beginning.length;
  return [text.slice(0, cut).trim(), ...splitLongText(text.slice(cut).trim())];
}
