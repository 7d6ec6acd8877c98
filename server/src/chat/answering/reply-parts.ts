/** The network's limit in code points. */
const longestMessage = 4096;
const mostMessages = 10;

/** Splits an answer by paragraphs with `breakLines`, and where a message exceeds the limit. */
export function replyParts(text: string, breakLines: boolean): string[] {
  const paragraphs = breakLines ? splitParagraphs(text) : [text];
  const kept = paragraphs.map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== '');
  const joined =
    kept.length <= mostMessages
      ? kept
      : [...kept.slice(0, mostMessages - 1), kept.slice(mostMessages - 1).join('\n\n')];
  return joined.flatMap(cut);
}

/** The notice and the beginning of the answer are one message. */
export function withNotice(parts: readonly string[], notice: string | null): string[] {
  const [first, ...others] = parts;
  return notice === null || first === undefined ? [...parts] : [...cut(`${notice}\n\n${first}`), ...others];
}

const fence = '```';
const isFence = (line: string): boolean => line.trimStart().startsWith(fence);

/** Keeps a block of code together. */
function splitParagraphs(text: string): string[] {
  const paragraphs: string[][] = [[]];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (isFence(line)) isCode = !isCode;
    if (line.trim() === '' && !isCode) paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.map((lines) => lines.join('\n'));
}

/** Closes a block of code that is longer than a message, and opens it again in the next one. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (countCharacters(rest) > longestMessage) {
    const end = findEnd(rest);
    const piece = rest.slice(0, end).trimEnd();
    const isOpen = findOpenFence(piece) !== null;
    pieces.push(isOpen ? `${piece}\n${fence}` : piece);
    rest = isOpen ? reopenFence(rest.slice(end)) : rest.slice(end).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** Code keeps its indentation. */
function reopenFence(text: string): string {
  const code = text.replace(/^\n/, '');
  const [line = '', ...lines] = code.split('\n');
  return isFence(line) ? lines.join('\n').trim() : `${fence}\n${code}`;
}

const countCharacters = (text: string): number => [...text].length;

const takeCharacters = (text: string, count: number): string =>
  [...text.slice(0, 2 * count)].slice(0, count).join('');

/** Returns where the last block of code begins that does not end in the text, or null. */
function findOpenFence(text: string): number | null {
  let start: number | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    if (isFence(line)) start = start === null ? at : null;
    at += line.length + 1;
  }
  return start;
}

const sentenceEnds = /[.!?…।؟]["'”’»)\]*_~]{0,5}\s|[。！？]/gu;
/** From the best place for an end to the worst. */
const places = [/\n\s{0,100}\n/g, /\n/g, sentenceEnds, /\s/g];
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the length of the first message. */
function findEnd(text: string): number {
  const head = takeCharacters(text, longestMessage);
  const openFence = findOpenFence(head);
  if (openFence !== null && openFence > 0) return openFence;
  const room = openFence === null ? head : takeCharacters(text, longestMessage - `\n${fence}`.length);
  // An end in the first half would make more messages than the text needs.
  const ends = (openFence === null ? places : [/\n/g])
    .map((place) => findLast(room, place, openFence !== null))
    .filter((end) => end > room.length / 2);
  const end = ends[0] ?? findWordEnd(text, room.length);
  return startOf(graphemes, text, end) || end;
}

/** Returns the index after the last match, within code or outside of it, or 0. */
const findLast = (text: string, place: RegExp, isCode: boolean): number =>
  [...text.matchAll(place)]
    .map((match) => match.index + match[0].length)
    .findLast((end) => isCode || findOpenFence(text.slice(0, end)) === null) ?? 0;

/** Scripts without spaces have words, too. */
function findWordEnd(text: string, length: number): number {
  const end = startOf(words, text, length);
  return end > length / 2 ? end : length;
}

const startOf = (segmenter: Intl.Segmenter, text: string, at: number): number =>
  segmenter.segment(text.slice(0, at + 200)).containing(at)?.index ?? at;
