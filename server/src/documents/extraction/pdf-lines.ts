/** A run of glyphs as pdf.js gives it; lengths in the page's units, `y` growing upwards. */
export interface PdfTextItem {
  str: string;
  /** a, b, c, d, x, y. */
  transform: readonly number[];
  width: number;
  hasEOL: boolean;
}

/** A line of text on a page. */
export interface PdfLine {
  text: string;
  /** Left and right end, baseline, and size of the font that most of its letters have. */
  x: number;
  right: number;
  y: number;
  fontSize: number;
  /** Has gaps as between the columns of a table. */
  isTabular: boolean;
}

/** In units of the font size. */
const sameBaseline = 0.5;
const wordGap = 0.2;
const columnGap = 1.5;

/** Joins the runs of a page into lines, in the order in which the page writes them. */
export function pdfLines(items: readonly PdfTextItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: PdfLine | null = null;
  let sizes = new Map<number, number>();
  for (const item of items) {
    const run = runOf(item);
    const text = item.str;
    if (text.trim() !== '') {
      if (open === null || Math.abs(run.y - open.y) > sameBaseline * Math.max(run.fontSize, open.fontSize)) {
        sizes = new Map();
        open = { text: '', x: run.x, right: run.x, y: run.y, fontSize: run.fontSize, isTabular: false };
        lines.push(open);
      }
      append(open, run, text);
      sizes.set(run.fontSize, (sizes.get(run.fontSize) ?? 0) + text.length);
      open.fontSize = mostFrequent(sizes);
    }
    if (item.hasEOL) open = null;
  }
  return lines;
}

/** The key with the greatest count; 0 of an empty map. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let best = 0;
  let bestCount = 0;
  for (const [value, count] of counts) {
    if (count > bestCount) [best, bestCount] = [value, count];
  }
  return best;
}

interface Run {
  x: number;
  right: number;
  y: number;
  fontSize: number;
}

function runOf({ transform, width }: PdfTextItem): Run {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  return { x, right: x + width, y, fontSize: Math.round(Math.hypot(c, d) * 2) / 2 };
}

function append(line: PdfLine, run: Run, text: string): void {
  const gap = run.x - line.right;
  const isFirst = line.text === '';
  if (!isFirst && gap > columnGap * run.fontSize) {
    line.isTabular = true;
    line.text = `${line.text.trimEnd()} | `;
  } else if (!isFirst && gap > wordGap * run.fontSize && !/\s$/.test(line.text) && !/^\s/.test(text)) {
    line.text += ' ';
  }
  line.text += text;
  line.right = Math.max(line.right, run.right);
}
