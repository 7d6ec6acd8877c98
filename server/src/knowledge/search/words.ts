import { takeStart } from '../../platform/shared/cut-text.ts';
import { isQuestionWord } from './question-words.ts';

export interface Word {
  /**
   * Lower case, NFKC, so that decorative letters match plain ones; numbers in ASCII digits without thousands separators;
   * truncated if very long.
   */
  form: string;
  end: number;
  capitalised: boolean;
  numeric: boolean;
}

/** Thai, Lao, Khmer and Burmese, by `sc`, because the tilde of `ñ` is among the script extensions of Thai. */
export const southEastAsian = String.raw`[[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]&&[\p{L}\p{M}]]`;

/** Letters and marks of the scripts that put no spaces between words, for patterns with the flag `v`. */
export const unspacedLetter = String.raw`[[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&[\p{L}\u3099\u309A]]${southEastAsian}]`;

const wordPattern = new RegExp(
  String.raw`\p{N}+(?:[.,．，]\p{N}+)+|(?<unspaced>${unspacedLetter}+)|[[\p{L}\p{M}\p{N}]--${unspacedLetter}]+`,
  'gv',
);

const longestForm = 60;

/** Returns the width in columns. A Chinese or Japanese character has two, and says as much as two Latin letters at least. */
export const columnsOf = (text: string): number => text.length + (text.match(wideCharacter)?.length ?? 0);

const wideCharacter = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\uFF01-\uFF60]/gv;

/** Returns the words in reading order. Apostrophes and hyphens separate words. */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  let segments: Intl.Segments | undefined;
  for (const { 0: raw, index, groups } of text.matchAll(wordPattern)) {
    const end = index + raw.length;
    if (groups?.['unspaced'] !== undefined) {
      segments ??= segmenter.segment(text);
      words.push(...segmentRun(segments, raw, index));
      continue;
    }
    const form = takeStart(raw, longestForm).normalize('NFKC').toLowerCase();
    const numeric = /^\p{N}/u.test(raw);
    words.push({
      form: numeric ? normalizeNumber(form) : form,
      end,
      capitalised: /^\p{Lu}/u.test(raw),
      numeric,
    });
  }
  return words;
}

export const splitForms = (text: string): string[] => splitWords(text).map(({ form }) => form);

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * Returns the words of a run without spaces. Neighbouring single characters, which are mostly an unknown name, become
 * overlapping pairs.
 */
function* segmentRun(segments: Intl.Segments, run: string, start: number): Generator<Word> {
  const runEnd = start + run.length;
  const wordOf = (form: string, end: number): Word => ({ form, end, capitalised: false, numeric: false });
  let single = '';
  let isPaired = false;
  for (let at = start; at < runEnd; ) {
    const { segment, index } = segments.containing(at) ?? { segment: run, index: start };
    const end = Math.min(runEnd, index + segment.length);
    const form = takeStart(segment.slice(at - index, end - index), longestForm).normalize('NFKC');
    if ([...form].length > 1 || isQuestionWord('simple', form)) {
      if (single !== '' && !isPaired) yield wordOf(single, at);
      yield wordOf(form, end);
      [single, isPaired] = ['', false];
    } else {
      if (single !== '') yield wordOf(single + form, end);
      [single, isPaired] = [form, single !== ''];
    }
    at = end;
  }
  if (single !== '' && !isPaired) yield wordOf(single, runEnd);
}

/** Makes `1,234,567` and `1.234.567` equal, and `3,5` and `3.5`. */
function normalizeNumber(raw: string): string {
  return raw
    .replace(/[^\P{Nd}0-9]/gu, toAsciiDigit)
    .toLowerCase()
    .replace(/[.,](?=\p{N}{3}(?!\p{N}))/gu, '')
    .replaceAll(',', '.');
}

/** The digits of a script are ten neighbouring code points. */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((codePoint - zero) % 10);
}

/** `orderStatus` and `order_status` → `order Status` and `order status`. */
export function spellOut(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
}

const diacritic = new RegExp(String.raw`[\p{M}--${unspacedLetter}]`, 'gv');

/** Removes diacritics, which people often omit. Thai and similar scripts write vowels as marks. */
export function foldDiacritics(form: string): string {
  return form.normalize('NFD').replace(diacritic, '').replaceAll('ß', 'ss');
}
