import type { QueryExecutorProvider } from 'kysely';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { findStopWords, stemWords } from './knowledge.queries.ts';
import { allLanguages, type Language } from './languages.ts';
import { isQuestionWord } from './question-words.ts';
import { foldDiacritics } from './words.ts';

export interface Stemming {
  /** Returns the stem of each form, without diacritics; `null` for a stop word. */
  stems(language: Language, forms: Iterable<string>): Promise<Map<string, string | null>>;
  /** Returns the language with the most stop and question words in the text: several on a tie, or none. */
  detectLanguages(forms: readonly string[]): Promise<Language[]>;
}

/** Cached word forms: the vocabulary of a few books. */
const maxCachedForms = 100_000;

export function createStemming(db: QueryExecutorProvider): Stemming {
  const stemsOfForms = createBoundedMap<string, { stem: string | null }>(maxCachedForms);
  const languagesOfWords = createBoundedMap<string, readonly Language[]>(maxCachedForms);
  return {
    async stems(language, forms) {
      const stems = new Map<string, string | null>();
      const unknown: string[] = [];
      for (const form of new Set(forms)) {
        const known = stemsOfForms.get(`${language} ${form}`);
        if (known === undefined) unknown.push(form);
        else stems.set(form, known.stem);
      }
      for (const row of unknown.length === 0 ? [] : await stemWords(db, language, unknown)) {
        const stem = row.stem === null ? null : foldDiacritics(row.stem);
        stemsOfForms.set(`${language} ${row.form}`, { stem });
        stems.set(row.form, stem);
      }
      return stems;
    },
    async detectLanguages(forms) {
      const unknown = [...new Set(forms)].filter((form) => languagesOfWords.get(form) === undefined);
      const rows = unknown.length === 0 ? [] : await findStopWords(db, spokenLanguages, unknown);
      const found = Map.groupBy(rows, ({ form }) => form);
      for (const form of unknown) {
        const asking = allLanguages.filter((language) => isQuestionWord(language, form));
        languagesOfWords.set(form, [...asking, ...(found.get(form) ?? []).map(({ language }) => language)]);
      }
      const votes = forms.flatMap((form) => languagesOfWords.get(form) ?? []);
      const counts = allLanguages.map((language) => votes.filter((vote) => vote === language).length);
      const most = Math.max(1, ...counts);
      return allLanguages.filter((_, index) => counts[index] === most);
    },
  };
}

const spokenLanguages: readonly Language[] = allLanguages.filter((language) => language !== 'simple');
