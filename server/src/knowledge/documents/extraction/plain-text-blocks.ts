import type { TextBlock } from './sections.ts';

const maxHeadingLength = 100;
const headingMarks = /^ {0,3}#{1,6}[ \t]+/;
const underline = /^ {0,3}(=+|-+|~+)[ \t]*$/;

export function* plainTextBlocks(text: string): Iterable<TextBlock> {
  const lines = text.split(/\r\n|[\r\n]/);
  let paragraph: string[] = [];
  const takeParagraph = (): TextBlock[] => {
    const block = { page: null, isHeading: false, text: paragraph.join('\n') };
    paragraph = [];
    return block.text.trim() === '' ? [] : [block];
  };

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const next = lines[index + 1] ?? '';
    if (line.trim() === '') {
      yield* takeParagraph();
      continue;
    }
    const startsBlock = paragraph.length === 0;
    const heading = findHeading(line, next, startsBlock);
    if (heading === null) {
      paragraph.push(line);
      continue;
    }
    yield* takeParagraph();
    yield { page: null, isHeading: true, text: heading };
    if (startsBlock && isUnderlined(line, next)) index += 1;
  }
  yield* takeParagraph();
}

/** A heading is marked with `#`, underlined, or in capitals on its own. */
function findHeading(line: string, next: string, startsBlock: boolean): string | null {
  const marked = headingMarks.exec(line);
  if (marked !== null) return withoutClosingMarks(line.slice(marked[0].length));
  if (!startsBlock || line.length > maxHeadingLength) return null;
  if (isUnderlined(line, next)) return line;
  return isCapitals(line) && !isCapitals(next) ? line.replace(/\s*:\s*$/, '') : null;
}

/** Removes `#` at the end in steps, because one expression would take quadratic time. Null if nothing is left. */
function withoutClosingMarks(heading: string): string | null {
  let end = heading.length;
  while (heading[end - 1] === '#') end -= 1;
  return heading.slice(0, end).trim() || heading || null;
}

/** At least half as long as its line, because a dash below a word is not an underline. */
function isUnderlined(line: string, next: string): boolean {
  const marks = next.trim().length;
  return underline.test(next) && marks >= 3 && marks * 2 >= line.trim().length;
}

function isCapitals(line: string): boolean {
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  return (
    letters >= 4 && line === line.toUpperCase() && line !== line.toLowerCase() && !/[.!?,;]\s*$/.test(line)
  );
}
