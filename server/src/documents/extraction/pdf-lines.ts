/** A run of glyphs from pdf.js in page units. `y` grows upwards. */
export interface PdfTextItem {
  str: string;
  transform: readonly number[];
  width: number;
  hasEOL: boolean;
}

export interface PdfLine {
  text: string;
  /** The ends, the baseline, and the size of the font of most letters. */
  x: number;
  right: number;
  y: number;
  fontSize: number;
  /** Has gaps like those between table columns. */
  isTabular: boolean;
}

const sameBaseline = 0.5;
const wordGap = 0.2;
const columnGap = 1.5;

export function pdfLines(items: readonly PdfTextItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: PdfLine | null = null;
  let sizes = new Map<number, number>();
  for (const item of items) {
    const run = toRun(item);
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

function toRun({ transform, width }: PdfTextItem): Run {
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
