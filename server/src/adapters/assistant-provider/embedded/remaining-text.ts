import { foldDiacritics, splitWords } from './words.ts';

/** A text from which matched ranges are removed, with its remaining words in order. */
export interface RemainingText {
  text: string;
  words: readonly { form: string; start: number; end: number }[];
}

export function createRemainingText(text: string): RemainingText {
  return { text, words: foldedWords(text, 0) };
}

/** Blanks a range without moving offsets. Splits only the affected words again. */
export function removeRange({ text, words }: RemainingText, at: number, length: number): RemainingText {
  const end = at + length;
  const blank = `${text.slice(0, at)}${' '.repeat(length)}${text.slice(end)}`;
  const before = words.filter((word) => word.end <= at);
  const after = words.filter((word) => word.start >= end);
  const touched = words.slice(before.length, words.length - after.length);
  const from = touched[0]?.start ?? at;
  const remains = foldedWords(blank.slice(from, touched.at(-1)?.end ?? at), from);
  return { text: blank, words: [...before, ...remains, ...after] };
}

const foldedWords = (text: string, offset: number): RemainingText['words'] =>
  splitWords(text).map(({ form, start, end }) => ({
    form: foldDiacritics(form),
    start: start + offset,
    end: end + offset,
  }));
