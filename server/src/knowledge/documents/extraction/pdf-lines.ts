import { joinRuns, type PdfRun } from './pdf-reading-order.ts';

/** A piece of text from pdf.js in page units. `y` grows upwards. */
export interface PdfTextItem {
  str: string;
  dir: string;
  transform: readonly number[];
  width: number;
  height: number;
  isVertical: boolean;
  hasEOL: boolean;
}

export interface PdfLine {
  text: string;
  /** The ends, the baseline, and the size of the font of most letters. */
  x: number;
  right: number;
  y: number;
  fontSize: number;
  angle: number;
  /** Has gaps like those between table columns, or the value of a field. */
  isTabular: boolean;
}

/** Runs on one baseline, in the order of the file. */
export type RunLine = PdfRun[];

const sameBaseline = 0.5;

/** Lines of text in the order of the file. */
export function groupRuns(items: readonly PdfTextItem[]): RunLine[] {
  const lines: RunLine[] = [];
  let open: RunLine | null = null;
  let followsBlank = false;
  for (const item of items) {
    if (item.str.trim() === '') followsBlank ||= item.str !== '';
    else {
      const run = toRun(item, followsBlank);
      followsBlank = false;
      if (open === null || !isOnLine(open, run)) {
        open = [];
        lines.push(open);
      }
      open.push(run);
    }
    if (item.hasEOL) {
      open = null;
      followsBlank = false;
    }
  }
  return lines;
}

export function isOnLine(line: RunLine, run: PdfRun): boolean {
  const [first = run] = line;
  const tolerance = sameBaseline * Math.max(run.fontSize, line.at(-1)?.fontSize ?? 0);
  return first.angle === run.angle && Math.abs(run.y - first.y) <= tolerance;
}

export function toPdfLine(runs: RunLine): PdfLine {
  const sizes = new Map<number, number>();
  for (const { fontSize, text } of runs) sizes.set(fontSize, (sizes.get(fontSize) ?? 0) + text.length);
  const [{ y, angle } = { y: 0, angle: 0 }] = runs;
  const x = Math.min(...runs.map((run) => run.x));
  const right = Math.max(...runs.map((run) => run.right));
  return { ...joinRuns(runs), x, right, y, angle, fontSize: mostFrequent(sizes) };
}

export function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let best = 0;
  let bestCount = 0;
  for (const [value, count] of counts) {
    if (count > bestCount) [best, bestCount] = [value, count];
  }
  return best;
}

function toRun(
  { str, dir, transform, width, height, isVertical }: PdfTextItem,
  followsBlank: boolean,
): PdfRun {
  const [a = 1, b = 0, c = 0, d = 0, left = 0, bottom = 0] = transform;
  const along = Math.hypot(a, b) || 1;
  // Vertical text runs down its page.
  const [cos, sin] = isVertical ? [b / along, -a / along] : [a / along, b / along];
  const x = left * cos + bottom * sin;
  return {
    text: str,
    direction: !/\p{L}/u.test(str) ? null : dir === 'rtl' ? 'rtl' : 'ltr',
    x,
    right: x + (isVertical ? height : width),
    y: bottom * cos - left * sin,
    fontSize: Math.round(Math.hypot(c, d) * 2) / 2,
    angle: Math.round((Math.atan2(sin, cos) * 180) / Math.PI),
    followsBlank,
  };
}
