/** A piece of text in the plane of its line: the text runs along x, and y grows upwards. */
export interface PdfRun {
  text: string;
  /** Unknown if the text has no letters. */
  direction: 'ltr' | 'rtl' | null;
  x: number;
  right: number;
  y: number;
  fontSize: number;
  /** Of the line on the page, in degrees. */
  angle: number;
  /** Blanks of no width precede it. */
  followsBlank: boolean;
  /** The value of a form field. */
  isField?: boolean;
}

/** Relative to the size of the font. */
const wordGap = 0.2;
const columnGap = 1.5;

type Direction = NonNullable<PdfRun['direction']>;

/** Joins the runs of a line in reading order. Wide gaps separate the columns of a table. */
export function joinRuns(runs: readonly PdfRun[]): { text: string; isTabular: boolean } {
  let text = '';
  let isTabular = runs.some(({ isField }) => isField === true);
  let previous: PdfRun | null = null;
  for (const run of inReadingOrder(runs)) {
    const gap = previous === null ? 0 : gapBetween(previous, run) / (run.fontSize || 1);
    if (gap > columnGap) {
      isTabular = true;
      text = `${text.trimEnd()} | ${run.text.trimStart()}`;
    } else {
      const isSeparate = gap > wordGap || run.followsBlank;
      const needsBlank = previous !== null && isSeparate && !/\s$/.test(text) && !/^\s/.test(run.text);
      text += needsBlank ? ` ${run.text}` : run.text;
    }
    previous = run;
  }
  return { text, isTabular };
}

/** Negative if they overlap. Either may be on the left. */
const gapBetween = (a: PdfRun, b: PdfRun): number => Math.max(b.x - a.right, a.x - b.right);

/**
 * Files that contain right-to-left text place its words from the left or from the right. Sorts them by their position, and reads
 * each sequence in its own direction and the line in the direction of most letters.
 */
function inReadingOrder(runs: readonly PdfRun[]): readonly PdfRun[] {
  if (!runs.some(({ direction }) => direction === 'rtl')) return runs;
  const sorted = runs.toSorted((a, b) => a.x - b.x);
  const letters = { ltr: 0, rtl: 0 };
  for (const { direction, text } of sorted) if (direction !== null) letters[direction] += text.length;
  const base: Direction = letters.rtl >= letters.ltr ? 'rtl' : 'ltr';
  const directions = withDirections(sorted, base);
  const sequences: { direction: Direction; runs: PdfRun[] }[] = [];
  for (const [index, run] of sorted.entries()) {
    const direction = directions[index] ?? base;
    const last = sequences.at(-1);
    if (last?.direction === direction) last.runs.push(run);
    else sequences.push({ direction, runs: [run] });
  }
  const ordered = sequences.map((sequence) =>
    sequence.direction === 'rtl' ? sequence.runs.toReversed() : sequence.runs,
  );
  return (base === 'rtl' ? ordered.reverse() : ordered).flat();
}

/** Text without letters has the direction of its neighbours if they agree. */
function withDirections(runs: readonly PdfRun[], base: Direction): Direction[] {
  const spread = (all: readonly PdfRun[]) => {
    let last = base;
    return all.map(({ direction }) => {
      last = direction ?? last;
      return last;
    });
  };
  const after = spread(runs.toReversed()).reverse();
  return spread(runs).map((before, index) => (before === after[index] ? before : base));
}
