import type { QueryExecutorProvider } from 'kysely';
import { findStopWords, stemWords } from './embedded.queries.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { isQuestionWord } from './question-words.ts';
import { foldDiacritics } from './words.ts';

export interface Stemming {
  /** Returns the stem of each form, without diacritics; `null` for a stop word. */
  stems(language: Language, forms: Iterable<string>): Promise<Map<string, string | null>>;
  /** Returns the language with the most stop and question words in the text: several on a tie, or none. */
  detectLanguages(forms: readonly string[]): Promise<Language[]>;
}

/** Cached word forms per language: the vocabulary of a few books. */
const MAX_CACHED_FORMS = 50_000;

export function createStemming(db: QueryExecutorProvider): Stemming {
  const memories = new Map<Language, Map<string, string | null>>();
  const stopWords = new Map<string, readonly Language[]>();

  const languagesOfStopWords = async (
    forms: readonly string[],
  ): Promise<Map<string, readonly Language[]>> => {
    const known = new Map([...new Set(forms)].map((form) => [form, stopWords.get(form)]));
    const unknown = [...known].flatMap(([form, languages]) => (languages === undefined ? [form] : []));
    if (unknown.length > 0) {
      if (stopWords.size + unknown.length > MAX_CACHED_FORMS) stopWords.clear();
      const found = Map.groupBy(await findStopWords(db, SPOKEN, unknown), ({ form }) => form);
      for (const form of unknown) {
        stopWords.set(form, found.get(form)?.map(({ language }) => language) ?? []);
        known.set(form, stopWords.get(form));
      }
    }
    return new Map([...known].map(([form, languages]) => [form, languages ?? []]));
  };

  return {
    async stems(language, forms) {
      const memory = memories.get(language) ?? new Map<string, string | null>();
      memories.set(language, memory);
      const stems = new Map<string, string | null>();
      const unknown: string[] = [];
      for (const form of new Set(forms)) {
        const stem = memory.get(form);
        if (stem === undefined) unknown.push(form);
        else stems.set(form, stem);
      }
      if (unknown.length === 0) return stems;
      if (memory.size + unknown.length > MAX_CACHED_FORMS) memory.clear();
      for (const row of await stemWords(db, language, unknown)) {
        const stem = row.stem === null ? null : foldDiacritics(row.stem);
        memory.set(row.form, stem);
        stems.set(row.form, stem);
      }
      return stems;
    },
    async detectLanguages(forms) {
      const votes = new Map(
        SPOKEN.map((language) => [language, forms.filter((form) => isQuestionWord(language, form)).length]),
      );
      const languages = await languagesOfStopWords(forms);
      for (const language of forms.flatMap((form) => languages.get(form) ?? [])) {
        votes.set(language, (votes.get(language) ?? 0) + 1);
      }
      const most = Math.max(...votes.values());
      return most === 0 ? [] : SPOKEN.filter((language) => votes.get(language) === most);
    },
  };
}

const SPOKEN: readonly Language[] = LANGUAGES.filter((language) => language !== 'simple');
