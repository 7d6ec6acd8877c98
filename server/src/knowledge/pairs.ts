import type { Language } from './languages.ts';
import { createComparison } from './pair-comparison.ts';
import { createRanking } from './pair-ranking.ts';
import {
  createQuestionParser,
  createWeighing,
  normalizeQuestion,
  type ParsedQuestion,
} from './question-features.ts';
import type { Stemming } from './stemming.ts';
import type { YieldControl } from './time-slices.ts';

export interface Pair {
  question: string;
  answer: string;
}

export interface PairMatch extends Pair {
  /** 1 for the same question, else the probability, below 1, that the pair answers the question. */
  score: number;
}

export interface PairIndex {
  pairs: readonly Pair[];
  /** Returns the best pairs with different answers, best first. The caller bounds the length of `question`. */
  find(question: string, yieldControl: YieldControl, limit?: number): Promise<PairMatch[]>;
  /** The languages of the pairs. */
  languages: readonly Language[];
  /** Approximate memory in bytes. */
  size: number;
}

/** Below this score, a pair is not an answer. */
export const leastPairScore = 0.5;
/** Only the same question has the score 1. */
const maxInexactScore = 0.99;
const defaultLimit = 3;
const bytesPerFeature = 40;
/** In the two matrices of `pair-ranking.ts`. */
const bytesPerComparison = 12;

/**
 * Creates the index that finds the pairs which answer a question:
 *
 * 1. `question-features.ts` describes a question by its words and their parts, and weighs rare ones higher.
 * 2. `pair-comparison.ts` compares it with the question of each pair.
 * 3. `pair-ranking.ts` predicts from these similarities which pair the contact asks for, and how probable that is.
 */
export async function createPairIndex(
  stemming: Stemming,
  pairs: readonly Pair[],
  yieldControl: YieldControl,
): Promise<PairIndex> {
  const parser = await createQuestionParser(stemming, pairs);
  const questions: ParsedQuestion[] = [];
  for (const { question } of pairs) {
    await yieldControl();
    questions.push(await parser.parse(question));
  }
  const weigh = createWeighing(questions);
  const weighed = questions.map(weigh);
  const compare = createComparison(weighed);
  const similarities: Float32Array[] = [];
  for (const question of weighed) {
    await yieldControl();
    similarities.push(compare(question));
  }
  const answers = pairs.map(({ answer }) => answer);
  const rank = await createRanking(answers, similarities, yieldControl);
  const byQuestion = new Map(pairs.map((pair) => [normalizeQuestion(pair.question), pair]));
  const featureCount = weighed.reduce((sum, { size }) => sum + size, 0);
  return {
    pairs,
    languages: parser.languages,
    size: featureCount * bytesPerFeature + pairs.length ** 2 * bytesPerComparison,
    async find(question, yieldControl, limit = defaultLimit) {
      await yieldControl();
      const exact = byQuestion.get(normalizeQuestion(question));
      if (exact !== undefined) return [{ ...exact, score: 1 }];
      const similaritiesToPairs = compare(weigh(await parser.parse(question)));
      await yieldControl();
      return rank(similaritiesToPairs, limit).flatMap(({ index, probability }) => {
        const pair = pairs[index];
        return pair === undefined ? [] : [{ ...pair, score: Math.min(maxInexactScore, probability) }];
      });
    },
  };
}
