import type { DocumentSection } from '../../adapters/assistant-provider/assistant-provider.ts';

/** Characters of a portion, about: what is read in one go without keeping others waiting. */
const LONGEST = 32_000;

/**
 * The sections of a text in portions of a bounded length, so that nobody has to take in twenty megabytes at once. A
 * section that is longer by itself becomes several, cut between paragraphs if it can be, else lines, else words.
 */
export function* splitIntoPortions(
  sections: Iterable<DocumentSection>,
  longest = LONGEST,
): Generator<DocumentSection[]> {
  let portion: DocumentSection[] = [];
  let length = 0;
  for (const { page, heading, text } of sections) {
    for (const piece of piecesOf(text, longest)) {
      const added = piece.length + (heading?.length ?? 0);
      if (portion.length > 0 && length + added > longest) {
        yield portion;
        portion = [];
        length = 0;
      }
      portion.push({ page, heading, text: piece });
      length += added;
    }
  }
  if (portion.length > 0) yield portion;
}

function* piecesOf(text: string, longest: number): Generator<string> {
  let start = 0;
  while (text.length - start > longest) {
    const end = cutBefore(text, start, start + longest);
    yield text.slice(start, end).trimEnd();
    start = end;
    while (text[start] === '\n' || text[start] === ' ') start += 1;
  }
  yield text.slice(start);
}

/** Not in the first half, where a portion would be too short to be worth one. */
function cutBefore(text: string, start: number, latest: number): number {
  const earliest = start + (latest - start) / 2;
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, latest - separator.length);
    if (at > earliest) return at;
  }
  const isLowHalf = /[\udc00-\udfff]/.test(text[latest] ?? '');
  return isLowHalf ? latest - 1 : latest;
}
