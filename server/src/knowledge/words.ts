import { takeStart } from '../shared/cut-text.ts';

export interface Word {
  /** Lower case, NFKC, so that decorative letters match plain ones; numbers without thousands separators; truncated if very long. */
  form: string;
  start: number;
  end: number;
  capitalised: boolean;
  numeric: boolean;
}

const wordPattern = /\p{N}+(?:[.,]\p{N}+)+|[\p{L}\p{M}\p{N}]+/gu;

const longestForm = 60;

/** Returns the words in reading order. Apostrophes and hyphens separate words. */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(wordPattern)) {
    const raw = match[0];
    const known = takeStart(raw, longestForm).normalize('NFKC');
    const numeric = /^\p{N}/u.test(raw);
    words.push({
      form: numeric ? normalizeNumber(known) : known.toLowerCase(),
      start: match.index,
      end: match.index + raw.length,
      capitalised: /^\p{Lu}/u.test(raw),
      numeric,
    });
  }
  return words;
}

export const splitForms = (text: string): string[] => splitWords(text).map(({ form }) => form);

/** Makes `1,234,567` and `1.234.567` equal, and `3,5` and `3.5`. */
function normalizeNumber(raw: string): string {
  return raw
    .toLowerCase()
    .replace(/[.,](?=\p{N}{3}(?!\p{N}))/gu, '')
    .replaceAll(',', '.');
}

/** `orderStatus` and `order_status` → `order Status` and `order status`. */
export function spellOut(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
}

/** Removes diacritics, which people often omit. */
export function foldDiacritics(form: string): string {
  return form.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
}
