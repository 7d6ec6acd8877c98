/** A word of a text with its place, in the form that stemming wants. */
export interface Word {
  /** Lower case, composed; a number without its thousands separators. The beginning of what is too long for a word. */
  form: string;
  start: number;
  end: number;
  capitalised: boolean;
  numeric: boolean;
}

const WORD = /\p{N}+(?:[.,]\p{N}+)+|[\p{L}\p{M}\p{N}]+/gu;

/** Letters that words are told apart by: a longer "word" is no word. */
const LONGEST_FORM = 60;

/** The words of a text in reading order. Apostrophes and hyphens separate. */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const raw = match[0];
    const known = raw.length <= LONGEST_FORM ? raw : raw.slice(0, LONGEST_FORM).toWellFormed();
    const numeric = /^\p{N}/u.test(raw);
    words.push({
      form: numeric ? normalizeNumber(known) : known.normalize('NFC').toLowerCase(),
      start: match.index,
      end: match.index + raw.length,
      capitalised: /^\p{Lu}/u.test(raw),
      numeric,
    });
  }
  return words;
}

/** `1,234,567` and `1.234.567` are one number to whoever asks for it; `3,5` and `3.5` too. */
function normalizeNumber(raw: string): string {
  return raw
    .toLowerCase()
    .replace(/[.,](?=\p{N}{3}(?!\p{N}))/gu, '')
    .replaceAll(',', '.');
}

/** Without diacritics: people leave them out when they type. */
export function foldDiacritics(form: string): string {
  return form.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
}
