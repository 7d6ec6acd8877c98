import type { DocumentSection } from '../../assistant-provider/assistant-provider.ts';

/** Longer portions would block the event loop. */
const defaultMaxLength = 32_000;

/** Splits sections into portions of bounded length, preferably between paragraphs, else lines, else words. */
export function* splitIntoPortions(
  sections: Iterable<DocumentSection>,
  maxLength = defaultMaxLength,
): Generator<DocumentSection[]> {
  let portion: DocumentSection[] = [];
  let length = 0;
  for (const { page, heading, text } of sections) {
    for (const piece of splitText(text, maxLength)) {
      const added = piece.length + (heading?.length ?? 0);
      if (portion.length > 0 && length + added > maxLength) {
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

function* splitText(text: string, maxLength: number): Generator<string> {
  let start = 0;
  while (text.length - start > maxLength) {
    const end = findCut(text, start, start + maxLength);
    yield text.slice(start, end).trimEnd();
    start = end;
    while (text[start] === '\n' || text[start] === ' ') start += 1;
  }
  yield text.slice(start);
}

/** Cuts in the second half only, so that portions do not become too short. */
function findCut(text: string, start: number, latest: number): number {
  const part = text.slice(start, latest);
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = part.lastIndexOf(separator);
    if (at > part.length / 2) return start + at;
  }
  const isLowHalf = /[\udc00-\udfff]/.test(text[latest] ?? '');
  return isLowHalf ? latest - 1 : latest;
}
