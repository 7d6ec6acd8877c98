import { mostFrequent, type PdfLine } from './pdf-lines.ts';
import type { TextBlock } from './sections.ts';

const headingScale = 1.15;
const maxHeadingLength = 150;
/** Relative to the usual gap between lines. */
const paragraphGap = 1.3;
/** In points. */
const columnTolerance = 10;
const columnEdgeQuantile = 0.8;
const listItem = /^(?:[•◦▪‣·–—*-]|\[[ x]\]|\d{1,3}[.)]|[a-z][.)])\s/;

export interface PdfPage {
  lines: readonly PdfLine[];
  /** Paragraphs that follow the lines. */
  notes: readonly string[];
}

/** Finds paragraphs and headings. A PDF contains only the positions of lines. */
export function* pdfBlocks(pages: readonly PdfPage[]): Iterable<TextBlock> {
  const all = pages.flatMap(({ lines }) => lines);
  const bodySize = mostFrequent(lettersBySize(all));
  const joiner = createLineJoiner(all.map((line) => line.text));
  for (const [index, { lines, notes }] of pages.entries()) {
    yield* pageBlocks(index + 1, lines, bodySize, joiner);
    for (const text of notes) yield { page: index + 1, isHeading: false, text };
  }
}

function* pageBlocks(
  page: number,
  lines: readonly PdfLine[],
  bodySize: number,
  joiner: LineJoiner,
): Iterable<TextBlock> {
  const spacing = usualSpacing(lines);
  const edges = columnEdges(lines);
  let text = '';
  let previous: PdfLine | null = null;
  for (const line of lines) {
    const heading = isHeading(line, bodySize);
    if (
      previous !== null &&
      (startsBlock(previous, line, spacing) || heading !== isHeading(previous, bodySize))
    ) {
      yield { page, isHeading: isHeading(previous, bodySize), text };
      text = '';
    }
    const keepsBreak =
      previous !== null && (keepsLineBreak(previous, line) || breaksEarly(previous, line, edges));
    text = text === '' ? line.text : keepsBreak ? `${text}\n${line.text}` : joiner.join(text, line.text);
    previous = line;
  }
  if (previous !== null) yield { page, isHeading: isHeading(previous, bodySize), text };
}

function lettersBySize(lines: readonly PdfLine[]): Map<number, number> {
  const letters = new Map<number, number>();
  for (const { fontSize, text } of lines) letters.set(fontSize, (letters.get(fontSize) ?? 0) + text.length);
  return letters;
}

/** Returns the most frequent distance between baselines in tenths of the font size. */
function usualSpacing(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const spacing = spacingBetween(lines[index - 1], line);
    if (spacing > 0) counts.set(spacing, (counts.get(spacing) ?? 0) + 1);
  }
  return mostFrequent(counts);
}

function spacingBetween(upper: PdfLine | undefined, lower: PdfLine): number {
  return upper === undefined ? 0 : Math.round(((upper.y - lower.y) / (lower.fontSize || 1)) * 10);
}

/** A new block starts after a gap, in the next column, or in another size. */
function startsBlock(previous: PdfLine, line: PdfLine, usual: number): boolean {
  const spacing = spacingBetween(previous, line);
  const otherSize = Math.abs(previous.fontSize - line.fontSize) > line.fontSize * 0.1;
  return previous.angle !== line.angle || otherSize || spacing < 0 || spacing > usual * paragraphGap;
}

function keepsLineBreak(previous: PdfLine, line: PdfLine): boolean {
  return previous.isTabular || line.isTabular || listItem.test(line.text);
}

/** Returns the right edge per column, ignoring the longest lines. */
function columnEdges(lines: readonly PdfLine[]): Map<number, number> {
  const rights = new Map<number, number[]>();
  for (const line of lines) {
    const column = rights.get(getColumn(line)) ?? [];
    column.push(line.right);
    rights.set(getColumn(line), column);
  }
  const edges = new Map<number, number>();
  for (const [column, ends] of rights) {
    ends.sort((a, b) => a - b);
    edges.set(column, ends[Math.floor((ends.length - 1) * columnEdgeQuantile)] ?? 0);
  }
  return edges;
}

function getColumn(line: PdfLine): number {
  return Math.round(line.x / columnTolerance);
}

/** Returns whether the next word would have fit, so the author wanted the break. */
function breaksEarly(previous: PdfLine, line: PdfLine, edges: ReadonlyMap<number, number>): boolean {
  const firstWord = line.text.split(' ', 1)[0]?.length ?? 0;
  const letterWidth = (line.right - line.x) / line.text.length;
  const room = (edges.get(getColumn(previous)) ?? previous.right) - previous.right;
  return !previous.text.endsWith('-') && room > (firstWord + 1) * letterWidth + previous.fontSize;
}

function isHeading(line: PdfLine, bodySize: number): boolean {
  return (
    line.fontSize >= bodySize * headingScale &&
    line.text.length <= maxHeadingLength &&
    !line.isTabular &&
    /\p{L}{2}/u.test(line.text)
  );
}

interface LineJoiner {
  join(text: string, line: string): string;
}

/** Longer sequences of letters are not words. Without this limit, long lines take quadratic time. */
const maxWordLength = 100;
const hyphenated = /(\p{L}+)-$/u;
const continued = /^\p{Ll}+/u;
const endsWithoutSpace = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]$/u;
const startsWithoutSpace = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Joins lines. Removes a hyphen at a line's end unless the rest of the document suggests that the word has one. */
export function createLineJoiner(lines: readonly string[]): LineJoiner {
  const vocabulary = new Set<string>();
  for (const line of lines) {
    // The last word of a line may be half a word, and so may the first of the next.
    const whole = line.trim().split(/\s+/).slice(1, -1);
    for (const word of whole) {
      if (word.length > maxWordLength) continue;
      const bare = word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
      if (bare !== '') vocabulary.add(bare);
    }
  }
  const ownHyphen = (left: string, right: string): boolean => {
    const [first, second] = [left.toLowerCase(), right.toLowerCase()];
    if (vocabulary.has(first + second)) return false;
    return vocabulary.has(`${first}-${second}`) || (vocabulary.has(first) && vocabulary.has(second));
  };

  return {
    join(text, line) {
      const [before, after] = [text.trimEnd(), line.trimStart()];
      if (before.endsWith('\u00ad')) return before.slice(0, -1) + after;
      const left = hyphenated.exec(before.slice(-maxWordLength))?.[1];
      const right = continued.exec(after)?.[0];
      if (left !== undefined && right !== undefined) {
        return (ownHyphen(left, right) ? before : before.slice(0, -1)) + after;
      }
      const touching = endsWithoutSpace.test(before.slice(-2)) && startsWithoutSpace.test(after);
      return touching ? before + after : `${before} ${after}`;
    },
  };
}
