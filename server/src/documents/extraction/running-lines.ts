import type { PdfLine } from './pdf-lines.ts';

/** A running header or footer is told from text by standing on this many pages. */
const leastPages = 3;
/** Lines at either end of a page that may be running ones. */
const edgeLines = 2;
const pageNumber = /^\s*[-–—]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–—]?\s*$/;

/** Takes away headers and footers that repeat from page to page, page numbers aside, so that they do not split the text. */
export function removeRunningLines(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const repeated = new Map<string, number>();
  for (const lines of pages) {
    const edges = new Set([...lines.slice(0, edgeLines), ...lines.slice(-edgeLines)].map(shapeOf));
    for (const shape of edges) repeated.set(shape, (repeated.get(shape) ?? 0) + 1);
  }
  const enough = Math.max(leastPages, pages.length / 2);
  return pages.map((lines) =>
    lines.filter((line, index) => {
      const fromEdge = Math.min(index, lines.length - 1 - index);
      if (fromEdge === 0 && lines.length > 1 && pageNumber.test(line.text)) return false;
      return fromEdge >= edgeLines || (repeated.get(shapeOf(line)) ?? 0) < enough;
    }),
  );
}

/** What a running line has in common on all pages: its words, its place, but not its number. */
function shapeOf(line: PdfLine): string {
  return `${Math.round(line.y)} ${line.text.trim().replaceAll(/\d+/g, '#')}`;
}
