import type { EncodeSentence } from '../adapters/embedding/sentence-encoder.ts';
import { calibration } from './calibration.ts';
import type { Language } from './languages.ts';
import { createComparison } from './pair-comparison.ts';
import { type Compared, createRanking, type Rank } from './pair-ranking.ts';
import {
  createWeighing,
  normalizeQuestion,
  type ParsedQuestion,
  parseQuestion,
} from './question-features.ts';
import type { Stemming } from './stemming.ts';
import type { YieldControl } from './time-slices.ts';
import { splitForms } from './words.ts';

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
  /**
   * Returns the best pairs with different answers, best first. The caller bounds the length of `question`. With `asked`, the
   * vector of the question or null, it does not wait for the vectors of the pairs.
   */
  find(
    question: string,
    yieldControl: YieldControl,
    options?: { limit: number; asked: Float32Array | null },
  ): Promise<PairMatch[]>;
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
/** In the matrices of two rankings, and in vectors of 1,024 dimensions. */
const bytesPerComparison = 24;
const bytesPerVector = 4096;
/**
 * Creates the index that finds the pairs which answer a question:
 *
 * 1. `question-features.ts` describes a question by its words and their parts, and weighs rare ones higher.
 * 2. `pair-comparison.ts` compares it with the question of each pair.
 * 3. `encode` compares the meanings. Words alone decide about a question without a vector.
 * 4. `pair-ranking.ts` predicts from these similarities which pair the contact asks for, and how probable that is.
 *
 * The pairs are encoded in the background. After a failure, the next question continues.
 */
export async function createPairIndex(
  stemming: Stemming,
  pairs: readonly Pair[],
  yieldControl: YieldControl,
  encode: EncodeSentence = async () => null,
): Promise<PairIndex> {
  const texts = pairs.map(({ question, answer }) => splitForms(`${question}\n${answer}`));
  const detected = await Promise.all(texts.map((forms) => stemming.detectLanguages(forms)));
  const languages = [...new Set(detected.map(([language = 'simple']) => language))];
  const parse = (question: string) => parseQuestion(stemming, languages, question);
  const questions: ParsedQuestion[] = [];
  for (const { question } of pairs) {
    await yieldControl();
    questions.push(await parse(question));
  }
  const weigh = createWeighing(questions);
  const weighed = questions.map(weigh);
  const compare = createComparison(weighed);
  const compared: Compared[] = [];
  for (const question of weighed) {
    await yieldControl();
    compared.push({ similarities: compare(question), vector: null });
  }
  const answers = pairs.map(({ answer }) => answer);
  const rankByWords = await createRanking(answers, compared, calibration.pair, yieldControl);

  let rankByMeaning: Rank | null = null;
  const vectors: (Float32Array | null)[] = [];
  const fitMeaning = async (): Promise<void> => {
    const encodeAt = async ({ text, language }: ParsedQuestion, index: number) => {
      vectors[index] ??= await encode(text, language);
    };
    await Promise.all(questions.map(encodeAt));
    if (vectors.every((vector) => vector === null)) return;
    const read = compared.map((question, index) => ({ ...question, vector: vectors[index] ?? null }));
    rankByMeaning = await createRanking(answers, read, calibration.pairByMeaning, yieldControl);
  };
  let fitting: Promise<void> | undefined;
  const startFitting = (): Promise<void> => {
    fitting ??= fitMeaning().catch(() => {
      fitting = undefined;
    });
    return fitting;
  };
  void startFitting();

  const byQuestion = new Map(pairs.map((pair) => [normalizeQuestion(pair.question), pair]));
  const featureCount = weighed.reduce((sum, { size }) => sum + size, 0);
  return {
    pairs,
    languages,
    size:
      featureCount * bytesPerFeature + pairs.length ** 2 * bytesPerComparison + pairs.length * bytesPerVector,
    async find(question, yieldControl, options) {
      await yieldControl();
      const exact = byQuestion.get(normalizeQuestion(question));
      if (exact !== undefined) return [{ ...exact, score: 1 }];
      const parsed = await parse(question);
      const fitted = startFitting();
      if (options === undefined) await fitted;
      const encodeAsked = () => encode(parsed.text, parsed.language).catch(() => null);
      const vector = rankByMeaning && (options === undefined ? await encodeAsked() : options.asked);
      await yieldControl();
      const rank = vector === null ? rankByWords : (rankByMeaning ?? rankByWords);
      const ranked = rank({ similarities: compare(weigh(parsed)), vector }, options?.limit ?? defaultLimit);
      return ranked.flatMap(({ index, probability }) => {
        const pair = pairs[index];
        return pair === undefined ? [] : [{ ...pair, score: Math.min(maxInexactScore, probability) }];
      });
    },
  };
}
