import lists from './word-lists.json' with { type: 'json' };
import { columnsOf, southEastAsian, unspacedLetter } from './words.ts';

export interface Span {
  start: number;
  end: number;
}

/** Between sentences that need no space, and between the clauses of Thai, Lao, Khmer and Burmese, which have few marks. */
const endOfUnspaced = String.raw`[。！？｡．។៕။।॥]+["'”’»）」』】\]\)]*|(?<=${southEastAsian}{8}) +(?=${southEastAsian})`;
const endOfSentence = new RegExp(
  String.raw`[.!?…؟۔]["'”’»\)\]]*\s+(?=["'“„«\(¿¡\[]*[\p{Lu}\p{Lo}\p{N}])|[!?](?=${unspacedLetter})|${endOfUnspaced}`,
  'gv',
);

/** Characters. A clause alone says too little. */
const shortestClauses = 120;

/** Abbreviations whose full stop does not end a sentence. */
const abbreviations = new Set(lists.abbreviations.split(' '));

/** Returns the trimmed sentences in order. A line that stands alone (list, table) is one sentence. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  for (const line of unwrappedLines(text)) {
    let start = line.start;
    for (const match of text.slice(line.start, line.end).matchAll(endOfSentence)) {
      const end = line.start + match.index + match[0].length;
      if (match[0].trim() === '' && end - start < shortestClauses) continue;
      if (endsInAbbreviation(text.slice(start, line.start + match.index + 1))) continue;
      pushTrimmed(spans, text, start, end);
      start = end;
    }
    pushTrimmed(spans, text, start, line.end);
  }
  return spans;
}

/** Returns the text in one line. A line break between letters that need no space stands for nothing, elsewhere for a space. */
export const joinLines = (text: string): string => text.replace(unspacedBreak, '').replace(/\s+/g, ' ');

const unspacedCharacter = String.raw`[${unspacedLetter}\u3001-\u301F\uFF01-\uFF60]`;
const unspacedBreak = new RegExp(
  String.raw`(?<=${unspacedCharacter})[^\S\n]*\n\s*(?=${unspacedCharacter})`,
  'gv',
);

/** Longer than any abbreviation, so that only the end of a long sentence is searched. */
const moreThanAnAbbreviation = 12;

/** Recognises a single letter, a known abbreviation or a short ordinal (`19. Jahrhundert`). */
function endsInAbbreviation(head: string): boolean {
  const last = /([\p{L}\p{M}]+|\p{N}+)\.$/u.exec(head.slice(-moreThanAnAbbreviation))?.[1];
  if (last === undefined) return false;
  if (/^\p{N}/u.test(last)) return last.length <= 2;
  return last.length === 1 || abbreviations.has(last.toLowerCase());
}

const wrappedLineColumns = 60;

/** Joins wrapped lines and keeps intended line breaks. */
function unwrappedLines(text: string): Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(/[^\S\n]*\n\s*/g)) {
    const before = text.slice(start, match.index);
    const after = text.slice(match.index + match[0].length);
    const lastLine = before.slice(before.lastIndexOf('\n') + 1);
    const wrapped = /^[\p{Ll}]/u.test(after) || columnsOf(lastLine) > wrappedLineColumns;
    if (wrapped && !/^(?:[-*•–]|\p{N}+[.)])\s/u.test(after)) continue;
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

function pushTrimmed(spans: Span[], text: string, start: number, end: number): void {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  const to = start + piece.trimEnd().length;
  if (to > from) spans.push({ start: from, end: to });
}
