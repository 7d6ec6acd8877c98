import { writeHoliday } from './calendar.ts';
import {
  countPassagesWithTerms,
  type Db,
  findSimilarTerms,
  type SearchableDocument,
} from './knowledge.queries.ts';
import type { PairIndex } from './pairs.ts';
import { isQuestionWord, listQuestionWords } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { foldDiacritics, splitWords } from './words.ts';

/** Shorter words resemble too many others. */
const shortestWord = 4;
/** A message with more unknown words is about something else, or in another language. */
const mostUnknown = 8;

/**
 * Writes a question with words that the bot's knowledge has: typing errors become the only known word that was
 * probably meant, and a holiday its date. Names and other words stay.
 */
export async function useKnownWords(
  { db, stemming }: { db: Db; stemming: Stemming },
  { pairs, documents }: { pairs: PairIndex; documents: readonly SearchableDocument[] },
  text: string,
): Promise<string> {
  const written = splitWords(text).filter(
    ({ form, numeric, capitalised }, index) =>
      !numeric &&
      form.length >= shortestWord &&
      (index === 0 || !capitalised || writeHoliday(form, 'simple') !== null),
  );
  const forms = [...new Set(written.map(({ form }) => form))];
  const languages = [...new Set([...pairs.languages, ...documents.map(({ language }) => language)])];
  const stems = await Promise.all(languages.map((language) => stemming.stems(language, forms)));
  const isStopWord = (form: string) =>
    stems.some((known) => known.get(form) === null) ||
    languages.some((language) => isQuestionWord(language, form));
  const strange = forms.filter((form) => !pairs.words.has(foldDiacritics(form)) && !isStopWord(form));
  const refs = documents.map(({ ref }) => ref);
  const stemsOf = (form: string) => stems.flatMap((known) => known.get(form) ?? []);
  const counts =
    refs.length === 0 ? new Map() : await countPassagesWithTerms(db, refs, strange.flatMap(stemsOf));
  const unknown = strange.filter((form) => !stemsOf(form).some((stem) => counts.has(stem)));
  if (unknown.length === 0 || unknown.length > mostUnknown) return text;
  // The terms of documents are stems: "ferri" for "ferry".
  const spellingsOf = (form: string) => [...new Set([foldDiacritics(form), ...stemsOf(form)])];
  const terms = refs.length === 0 ? [] : await findSimilarTerms(db, refs, unknown.flatMap(spellingsOf));
  const asking = languages.flatMap(listQuestionWords);
  const vocabulary = [...new Set([...pairs.words, ...terms, ...asking])];
  const [language = 'simple'] = languages;
  const known = new Map(
    unknown.flatMap((form) => {
      const corrected = spellingsOf(form).flatMap((spelling) => correct(spelling, vocabulary) ?? []);
      const shortened = asking.find((word) => word.slice(0, -1) === form);
      const meant = writeHoliday(form, language) ?? corrected[0] ?? shortened;
      return meant === undefined ? [] : [[form, meant] as const];
    }),
  );
  return text.replace(/[\p{L}\p{M}]+/gu, (word) => known.get(word.normalize('NFKC').toLowerCase()) ?? word);
}

/** Returns the only word that becomes `form` by a typing error. */
function correct(form: string, vocabulary: readonly string[]): string | null {
  const near = vocabulary.filter((word) => isTypingError(form, word));
  return near.length === 1 ? (near[0] ?? null) : null;
}

/**
 * Whether two neighbouring letters are swapped, one is doubled, missing, or another key beside it. Words that differ in the first or
 * last letters are mostly different words.
 */
function isTypingError(form: string, word: string): boolean {
  if (form[0] !== word[0] || form.at(-1) !== word.at(-1) || Math.abs(form.length - word.length) > 1)
    return false;
  let at = 1;
  while (at < form.length && form[at] === word[at]) at += 1;
  const [rest, expected] = [form.slice(at), word.slice(at)];
  const [typed = '', next = ''] = rest;
  if (rest.length > expected.length) return typed === form[at - 1] && rest.slice(1) === expected;
  if (typed + next === [...expected.slice(0, 2)].reverse().join('') && rest.slice(2) === expected.slice(2))
    return true;
  const isMissing = rest === expected.slice(1);
  if (isMissing && expected[0] === form[at - 1]) return true;
  if (form.length <= shortestWord) return false;
  if (rest.length < expected.length) return isMissing;
  return rest.slice(1) === expected.slice(1) && areNeighbours(typed, expected[0] ?? '');
}

const keyRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

function areNeighbours(a: string, b: string): boolean {
  const placeOf = (key: string) => {
    const row = keyRows.findIndex((keys) => keys.includes(key));
    return { row, column: keyRows[row]?.indexOf(key) ?? Number.NaN };
  };
  const [left, right] = [placeOf(a), placeOf(b)];
  return Math.abs(left.row - right.row) <= 1 && Math.abs(left.column - right.column) <= 1;
}
