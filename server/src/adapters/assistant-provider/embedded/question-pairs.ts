import type { Language } from './languages.ts';
import { createPairTerms, type PairTerms } from './pair-terms.ts';
import { type Linguistics, type QueryTerm, readQuery } from './query.ts';
import { termWeight, weightedShare } from './term-weights.ts';
import type { YieldControl } from './time-slices.ts';
import { foldDiacritics, splitWords } from './words.ts';

export interface PairMatch {
  question: string;
  answer: string;
  score: number;
}

export interface PairIndex {
  /** The caller bounds the length of `question`. */
  findBest(question: string, yieldControl: YieldControl): Promise<PairMatch | null>;
}

interface Pair {
  question: string;
  answer: string;
}

interface IndexedPair extends Pair {
  plain: string;
  language: Language;
  terms: readonly QueryTerm[];
  /** Only the number of trigrams is stored, because the trigrams would take more memory than everything else. */
  groups: number;
}

const MIN_SIMILARITY = 0.58;

/**
 * Creates the index. It compares questions by their words, weighted by rarity. Questions without indexable words are
 * compared by trigrams, which tolerate typing errors.
 */
export async function createPairIndex(
  linguistics: Linguistics,
  pairs: readonly Pair[],
  yieldControl: YieldControl,
): Promise<PairIndex> {
  const indexed: IndexedPair[] = [];
  for (const pair of pairs) {
    await yieldControl();
    indexed.push(await indexPair(linguistics, pair));
  }
  const exact = new Map(indexed.map((pair) => [pair.plain, pair]));
  const languages = [...new Set(indexed.map(({ language }) => language))];
  const vocabularies: { language: Language; terms: PairTerms }[] = [];
  for (const language of languages)
    vocabularies.push({ language, terms: await indexTerms(language, indexed, yieldControl) });
  const weightOf = createTermWeights(indexed);
  const ownWeights = indexed.map(({ terms, language }) => terms.map((term) => weightOf(term, language)));
  return {
    async findBest(question, yieldControl) {
      await yieldControl();
      const plain = normalizeQuestion(question);
      const same = exact.get(plain);
      if (same !== undefined) return { question: same.question, answer: same.answer, score: 1 };
      const { terms } = await readQuery(
        linguistics,
        question,
        languages.map((language) => ({ language })),
      );
      const scores = new Map<number, number>();
      for (const { language, terms: own } of vocabularies) {
        const weights = terms.map((term) => weightOf(term, language));
        for (const [pair, matches] of await own.match(terms, yieldControl))
          scores.set(
            pair,
            harmonicMean(
              weightedShare(matches.asked, weights),
              weightedShare(matches.own, ownWeights[pair] ?? []),
            ),
          );
      }
      const letters = toTrigrams(plain);
      let best: PairMatch | null = null;
      for (const [index, { question, answer, ...pair }] of indexed.entries()) {
        const wordless = terms.length === 0 || pair.terms.length === 0;
        if (wordless) await yieldControl();
        const score = wordless ? trigramSimilarity(letters, pair) : (scores.get(index) ?? 0);
        if (score > (best?.score ?? 0)) best = { question, answer, score };
      }
      return best !== null && best.score >= MIN_SIMILARITY ? best : null;
    },
  };
}

async function indexPair(linguistics: Linguistics, pair: Pair): Promise<IndexedPair> {
  const forms = splitWords(`${pair.question}\n${pair.answer}`).map(({ form }) => form);
  const [language = 'simple'] = await linguistics.stemming.detectLanguages(forms);
  const { terms } = await readQuery(linguistics, pair.question, [{ language }]);
  const plain = normalizeQuestion(pair.question);
  return { ...pair, plain, language, terms, groups: toTrigrams(plain).size };
}

function indexTerms(
  language: Language,
  pairs: readonly IndexedPair[],
  yieldControl: YieldControl,
): Promise<PairTerms> {
  const own = [...pairs.entries()].filter(([, pair]) => pair.language === language);
  return createPairTerms(language, new Map(own.map(([index, { terms }]) => [index, terms])), yieldControl);
}

function createTermWeights(pairs: readonly IndexedPair[]): (term: QueryTerm, language: Language) => number {
  const frequencies = new Map<string, number>();
  for (const { terms, language } of pairs) {
    for (const stem of new Set(terms.map(({ readings }) => readings.get(language)?.stem ?? ''))) {
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
    }
  }
  return (term, language) =>
    termWeight(term, pairs.length, frequencies.get(term.readings.get(language)?.stem ?? '') ?? 0);
}

const harmonicMean = (a: number, b: number): number => (a + b === 0 ? 0 : (2 * a * b) / (a + b));

function normalizeQuestion(question: string): string {
  return splitWords(question)
    .map(({ form }) => foldDiacritics(form))
    .join(' ');
}

function toTrigrams(plain: string): Set<string> {
  const edged = ` ${plain} `;
  return new Set(Array.from({ length: Math.max(0, edged.length - 2) }, (_, at) => edged.slice(at, at + 3)));
}

/** Dice coefficient. Returns 0 early if the numbers of trigrams alone rule out a match. */
function trigramSimilarity(
  letters: ReadonlySet<string>,
  { plain, groups }: Pick<IndexedPair, 'plain' | 'groups'>,
): number {
  const all = letters.size + groups;
  if (all === 0 || (2 * Math.min(letters.size, groups)) / all < MIN_SIMILARITY) return 0;
  let shared = 0;
  for (const group of toTrigrams(plain)) if (letters.has(group)) shared += 1;
  return (2 * shared) / all;
}
