import type { Language } from './languages.ts';
import { likenessOf } from './likeness.ts';
import { type Linguistics, type QueryTerm, readQuery } from './query.ts';
import { termWeight } from './term-weights.ts';
import { folded, wordsOf } from './words.ts';

/** A pair that a question was found to ask for. */
interface PairMatch {
  question: string;
  answer: string;
  /** 0..1; 1 is the same question. */
  score: number;
}

/** An index over a revision's question/answer pairs. */
export interface PairIndex {
  best(question: string): Promise<PairMatch | null>;
}

interface Pair {
  question: string;
  answer: string;
}

interface IndexedPair extends Pair {
  language: Language;
  terms: readonly QueryTerm[];
  letters: ReadonlySet<string>;
}

/** Likeness from which on a question is taken for that of a pair. */
const LEAST_LIKENESS = 0.58;
/**
 * Builds the index. Questions are compared by their words, rarer ones counting more, as far as each stands for a word of
 * the other; and by groups of letters, which see through typing errors and small words.
 */
export async function createPairIndex(linguistics: Linguistics, pairs: readonly Pair[]): Promise<PairIndex> {
  const indexed: IndexedPair[] = [];
  for (const pair of pairs) indexed.push(await indexedPair(linguistics, pair));
  const exact = new Map(pairs.map((pair) => [plainWords(pair.question), pair]));
  const languages = [...new Set(indexed.map(({ language }) => language))].map((language) => ({ language }));
  const frequencies = frequenciesOf(indexed);
  return {
    async best(question) {
      const same = exact.get(plainWords(question));
      if (same !== undefined) return { ...same, score: 1 };
      const { terms } = await readQuery(linguistics, question, languages);
      const letters = lettersOf(question);
      const weightOf = (term: QueryTerm, language: Language): number =>
        termWeight(term, pairs.length, frequencies.get(term.readings.get(language)?.stem ?? '') ?? 0);
      let best: PairMatch | null = null;
      for (const { question, answer, ...pair } of indexed) {
        const wordless = terms.length === 0 || pair.terms.length === 0;
        const score = wordless ? letterLikeness(letters, pair.letters) : wordLikeness(terms, pair, weightOf);
        if (score > (best?.score ?? 0)) best = { question, answer, score };
      }
      return best !== null && best.score >= LEAST_LIKENESS ? best : null;
    },
  };
}

async function indexedPair(linguistics: Linguistics, pair: Pair): Promise<IndexedPair> {
  const forms = wordsOf(`${pair.question}\n${pair.answer}`).map(({ form }) => form);
  const [language = 'simple'] = await linguistics.stemming.languagesOf(forms);
  const { terms } = await readQuery(linguistics, pair.question, [{ language }]);
  return { ...pair, language, terms, letters: lettersOf(pair.question) };
}

function frequenciesOf(pairs: readonly IndexedPair[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { terms, language } of pairs) {
    for (const stem of new Set(terms.map(({ readings }) => readings.get(language)?.stem ?? ''))) {
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
    }
  }
  return frequencies;
}

/** The harmonic mean of how much of the question the pair covers, and the other way round. */
function wordLikeness(
  asked: readonly QueryTerm[],
  pair: Pick<IndexedPair, 'terms' | 'language'>,
  weightOf: (term: QueryTerm, language: Language) => number,
): number {
  const { terms, language } = pair;
  const covered = (some: readonly QueryTerm[], by: readonly QueryTerm[]): number => {
    let met = 0;
    let all = 0;
    for (const term of some) {
      const weight = weightOf(term, language);
      met += weight * Math.max(0, ...by.map((other) => termLikeness(term, other, language)));
      all += weight;
    }
    return all === 0 ? 0 : met / all;
  };
  const ofQuestion = covered(asked, terms);
  const ofPair = covered(terms, asked);
  return ofQuestion + ofPair === 0 ? 0 : (2 * ofQuestion * ofPair) / (ofQuestion + ofPair);
}

function termLikeness(a: QueryTerm, b: QueryTerm, language: Language): number {
  if (a.form === b.form) return 1;
  const one = a.readings.get(language);
  const other = b.readings.get(language);
  if (one === undefined || other === undefined) return 0;
  return Math.max(one.related.get(other.stem) ?? 0, likenessOf(one.stem, other.stem));
}

function plainWords(question: string): string {
  return wordsOf(question)
    .map(({ form }) => folded(form))
    .join(' ');
}

/** Groups of three letters, words' edges included. */
function lettersOf(question: string): Set<string> {
  const edged = ` ${plainWords(question)} `;
  return new Set(Array.from({ length: Math.max(0, edged.length - 2) }, (_, at) => edged.slice(at, at + 3)));
}

/** Dice's coefficient. */
function letterLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  const shared = [...a].filter((group) => b.has(group)).length;
  return (2 * shared) / (a.size + b.size);
}
