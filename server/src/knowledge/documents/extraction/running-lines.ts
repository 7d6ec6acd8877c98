import type { PdfPage } from './pdf-blocks.ts';
import type { PdfLine } from './pdf-lines.ts';

const minPages = 3;
const edgeLines = 2;
/** With blanks and dashes. A longer line is not a page number and would take cubic time. */
const maxPageNumberLength = 30;
const pageNumber = /^\s*[-–—]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–—]?\s*$/;

/** Removes repeated headers and footers, which would split the text, and page numbers. Keeps pages that have no other text. */
export function removeRunningLines(pages: readonly PdfPage[]): PdfPage[] {
  const repeated = new Map<string, number>();
  for (const { lines } of pages) {
    const edges = new Set([...lines.slice(0, edgeLines), ...lines.slice(-edgeLines)].map(toShape));
    for (const shape of edges) repeated.set(shape, (repeated.get(shape) ?? 0) + 1);
  }
  const threshold = Math.max(minPages, pages.length / 2);
  return pages.map(({ lines, notes }) => {
    const kept = lines.filter((line, index) => {
      const fromEdge = Math.min(index, lines.length - 1 - index);
      if (fromEdge === 0 && isPageNumber(line.text)) return false;
      return fromEdge >= edgeLines || (repeated.get(toShape(line)) ?? 0) < threshold;
    });
    return { lines: kept.length === 0 ? lines : kept, notes };
  });
}

const isPageNumber = (text: string): boolean => text.length <= maxPageNumberLength && pageNumber.test(text);

function toShape(line: PdfLine): string {
  return `${Math.round(line.y)} ${line.text.trim().replaceAll(/\d+/g, '#')}`;
}
