import type { EncodeSentence } from '../adapters/embedding/sentence-encoder.ts';
import { calibration } from './calibration.ts';
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
import { multiplyVectors } from './vectors.ts';

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
/** In the four matrices of two rankings. */
const bytesPerComparison = 24;

/**
 * Creates the index that finds the pairs which answer a question:
 *
 * 1. `question-features.ts` describes a question by its words and their parts, and weighs rare ones higher.
 * 2. `pair-comparison.ts` compares it with the question of each pair.
 * 3. `encode` compares the meanings of English questions. Words alone decide about others, and without a vector.
 * 4. `pair-ranking.ts` predicts from these similarities which pair the contact asks for, and how probable that is.
 */
export async function createPairIndex(
  stemming: Stemming,
  pairs: readonly Pair[],
  yieldControl: YieldControl,
  encode: EncodeSentence = async () => null,
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
  const encodeEnglish = ({ text, language }: ParsedQuestion) =>
    language === 'english' ? encode(text) : null;
  const vectors = await Promise.all(questions.map(encodeEnglish));
  const byWords: Float32Array[] = [];
  const byMeaning: Float32Array[] = [];
  for (const [index, question] of weighed.entries()) {
    await yieldControl();
    const similarities = compare(question);
    byWords.push(similarities);
    byMeaning.push(addMeaning(similarities, vectors, vectors[index] ?? null));
  }
  const answers = pairs.map(({ answer }) => answer);
  const rankByWords = await createRanking(answers, byWords, calibration.pair, yieldControl);
  const rankByMeaning = vectors.some((vector) => vector !== null)
    ? await createRanking(answers, byMeaning, calibration.pairByMeaning, yieldControl)
    : null;
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
      const parsed = await parser.parse(question);
      const similarities = compare(weigh(parsed));
      const vector = rankByMeaning && (await encodeEnglish(parsed));
      await yieldControl();
      const ranked =
        rankByMeaning === null || vector === null
          ? rankByWords(similarities, limit)
          : rankByMeaning(addMeaning(similarities, vectors, vector), limit);
      return ranked.flatMap(({ index, probability }) => {
        const pair = pairs[index];
        return pair === undefined ? [] : [{ ...pair, score: Math.min(maxInexactScore, probability) }];
      });
    },
  };
}

/** Averages the similarities by words with the cosines, where both questions have a vector. */
function addMeaning(
  similarities: Float32Array,
  vectors: readonly (Float32Array | null)[],
  asked: Float32Array | null,
): Float32Array {
  return similarities.map((similarity, index) => {
    const vector = vectors[index] ?? null;
    return asked === null || vector === null ? similarity : (similarity + multiplyVectors(asked, vector)) / 2;
  });
}
