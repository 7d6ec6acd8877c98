import type { QueryExecutorProvider } from 'kysely';
import { countStopWords, stemWords } from './embedded.queries.ts';
import { folded } from './words.ts';

/** Languages with a Snowball dictionary and a list of stop words in PostgreSQL; `simple` is any other. */
export const LANGUAGES = [
  'english',
  'spanish',
  'german',
  'portuguese',
  'french',
  'italian',
  'dutch',
  'danish',
  'swedish',
  'norwegian',
  'finnish',
  'hungarian',
  'russian',
  'turkish',
  'simple',
] as const;

export type Language = (typeof LANGUAGES)[number];

/** What makes two words the same word: language by language, as PostgreSQL's dictionaries say. */
export interface Stemming {
  /** The stem of every word form, without diacritics; `null` for a stop word. */
  stems(language: Language, forms: Iterable<string>): Promise<Map<string, string | null>>;
  /** The language whose stop words the forms hold most of: several when they tie, none without a stop word. */
  languagesOf(forms: readonly string[]): Promise<Language[]>;
}

/** Word forms remembered per language: the vocabulary of a few books. */
const REMEMBERED = 50_000;

/** Stems with PostgreSQL and remembers what it has asked for. */
export function createStemming(db: QueryExecutorProvider): Stemming {
  const memories = new Map<Language, Map<string, string | null>>();
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
      if (memory.size + unknown.length > REMEMBERED) memory.clear();
      for (const row of await stemWords(db, language, unknown)) {
        const stem = row.stem === null ? null : folded(row.stem);
        memory.set(row.form, stem);
        stems.set(row.form, stem);
      }
      return stems;
    },
    async languagesOf(forms) {
      const counts = await countStopWords(db, SPOKEN, forms);
      return counts.filter(({ words }) => words === counts[0]?.words).map(({ language }) => language);
    },
  };
}

const SPOKEN = LANGUAGES.filter((language) => language !== 'simple');
