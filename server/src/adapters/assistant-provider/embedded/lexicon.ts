import { commonWords } from './common-words.ts';
import type { Language } from './languages.ts';
import { relatedWords } from './related-words.ts';
import type { Stemming } from './stemming.ts';

interface Lexicon {
  everyday: ReadonlySet<string>;
  /** Returns equivalent stems and their similarity, 0..1. */
  related(stem: string): ReadonlyMap<string, number>;
}

/** Similarity of forms of one word (`wrote`, `write`). */
export const SAME_WORD = 0.95;
/** Similarity of synonyms (`author`, `writer`). */
const SAME_MEANING = 0.65;

/** Returns the lexicon of a language, created on first use. */
export type Lexicons = (language: Language) => Promise<Lexicon>;

export function createLexicons(stemming: Stemming): Lexicons {
  const made = new Map<Language, Promise<Lexicon>>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const lexicon = createLexicon(stemming, language);
    made.set(language, lexicon);
    // The next question retries after a failure.
    lexicon.catch(() => made.delete(language));
    return lexicon;
  };
}

async function createLexicon(stemming: Stemming, language: Language): Promise<Lexicon> {
  const { forms, meanings } = relatedWords(language);
  const words = [...commonWords(language), ...forms.flat(), ...meanings.flat()];
  const stems = await stemming.stems(language, words);
  const stemsOf = (group: readonly string[]): string[] => [
    ...new Set(group.flatMap((word) => stems.get(word) ?? [])),
  ];
  const related = new Map<string, Map<string, number>>();
  relate(related, meanings.map(stemsOf), SAME_MEANING);
  relate(related, forms.map(stemsOf), SAME_WORD);
  const none = new Map<string, number>();
  return { everyday: new Set(stemsOf(commonWords(language))), related: (stem) => related.get(stem) ?? none };
}

function relate(
  related: Map<string, Map<string, number>>,
  groups: readonly string[][],
  similarity: number,
): void {
  for (const group of groups) {
    for (const stem of group) {
      const others = related.get(stem) ?? new Map<string, number>();
      related.set(stem, others);
      for (const other of group) if (other !== stem) others.set(other, similarity);
    }
  }
}
