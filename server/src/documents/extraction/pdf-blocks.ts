import { createLineJoiner, type LineJoiner } from './line-joiner.ts';
import { mostFrequent, type PdfLine } from './pdf-lines.ts';
import type { TextBlock } from './sections.ts';

/** How much larger than the body a heading is written, and how long it may be. */
const headingScale = 1.15;
const maxHeadingLength = 150;
/** A gap between baselines this much larger than usual separates paragraphs. */
const paragraphGap = 1.3;
const listItem = /^(?:[•◦▪‣·–—*-]|\d{1,3}[.)]|[a-z][.)])\s/;

/** Paragraphs and headings of a PDF, which itself knows only where on a page a line stands. */
export function* pdfBlocks(pages: readonly (readonly PdfLine[])[]): Iterable<TextBlock> {
  const bodySize = mostFrequent(lettersBySize(pages.flat()));
  const joiner = createLineJoiner(pages.flatMap((lines) => lines.map((line) => line.text)));
  for (const [index, lines] of pages.entries()) {
    yield* pageBlocks(index + 1, lines, bodySize, joiner);
  }
}

function* pageBlocks(
  page: number,
  lines: readonly PdfLine[],
  bodySize: number,
  joiner: LineJoiner,
): Iterable<TextBlock> {
  const spacing = usualSpacing(lines);
  const right = Math.max(...lines.map((line) => line.right), 0);
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
    const keepsBreak = previous !== null && (keepsLineBreak(previous, line) || endsShort(previous, right));
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

/** The distance between baselines that most neighbouring lines have, in tenths of the font size. */
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

/** Whether a line begins another paragraph: after a gap, up the page (the next column), or in another size. */
function startsBlock(previous: PdfLine, line: PdfLine, usual: number): boolean {
  const spacing = spacingBetween(previous, line);
  const otherSize = Math.abs(previous.fontSize - line.fontSize) > line.fontSize * 0.1;
  return otherSize || spacing < 0 || spacing > usual * paragraphGap;
}

/** Rows of tables and items of lists stay on lines of their own. */
function keepsLineBreak(previous: PdfLine, line: PdfLine): boolean {
  return previous.isTabular || line.isTabular || listItem.test(line.text);
}

/** A sentence that ends well before the margin ends its paragraph, also without a gap below. */
function endsShort(line: PdfLine, right: number): boolean {
  return /[.!?:]["'”’)]?\s*$/.test(line.text) && line.right < line.x + (right - line.x) * 0.75;
}

function isHeading(line: PdfLine, bodySize: number): boolean {
  return (
    line.fontSize >= bodySize * headingScale &&
    line.text.length <= maxHeadingLength &&
    !line.isTabular &&
    /\p{L}{2}/u.test(line.text)
  );
}
