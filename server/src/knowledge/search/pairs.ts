import { withDeadline } from '../../platform/shared/deadline.ts';
import type { EncodeSentence } from '../../ports/embedding/sentence-encoder.ts';
import type { Language } from './languages.ts';
import { type Compared, createRanking, scaleCosines } from './pair-ranking.ts';
import {
  createComparison,
  normalizeQuestion,
  type ParsedQuestion,
  parseQuestion,
} from './question-features.ts';
import type { Stemming } from './stemming.ts';
import type { YieldControl } from './time-slices.ts';
import { foldDiacritics, splitForms } from './words.ts';

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
   * Returns the best pairs with different answers, best first. The caller bounds the length of `question`. Waits for the encoder at
   * most `waitMs`, by default a second, and not at all with `asked`, the vector of the question or null.
   */
  find(
    question: string,
    yieldControl: YieldControl,
    options?: { limit?: number; asked?: Float32Array | null; waitMs?: number },
  ): Promise<PairMatch[]>;
  /** All words of the pairs, without diacritics. */
  words: ReadonlySet<string>;
  /** The languages of the pairs. */
  languages: readonly Language[];
  /** Approximate memory in bytes. */
  size: number;
}

/** Below this score, a pair is not an answer. */
export const leastPairScore = 0.5;
const defaultLimit = 3;
/** A contact waits this long for the meaning of a question, also while the pairs are encoded. */
const longestWaitMs = 1_000;
/** Encoded together, so that questions need not wait until all pairs of a bot are encoded. */
const pairsPerBatch = 32;
/** In the matrices of two rankings. */
const bytesPerComparison = 24;
/** Its features and a vector of 1,024 dimensions. */
const bytesPerPair = 8192;

/**
 * Creates the index that finds the pairs which answer a question:
 *
 * 1. `question-features.ts` compares the words and their parts with those of each pair. Rare ones weigh more.
 * 2. `encode` compares the meanings. Words alone decide about a question without a vector.
 * 3. `pair-ranking.ts` predicts from these similarities which pair the contact asks for, and how probable that is.
 *
 * The pairs are encoded in the background. Until then, words alone decide. After a failure, the next question continues.
 */
export async function createPairIndex(
  stemming: Stemming,
  pairs: readonly Pair[],
  yieldControl: YieldControl,
  encode: EncodeSentence = async () => null,
  /** Encodes questions about something else, if the ranking was not fitted on this encoder. */
  encodeOffTopic: (() => Promise<readonly Float32Array[]>) | null = null,
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
  const compare = createComparison(questions);
  const compared: (ParsedQuestion & Compared)[] = [];
  for (const question of questions) {
    await yieldControl();
    compared.push({ ...question, similarities: compare(question), vector: null });
  }
  const answers = pairs.map(({ answer }) => answer);
  const rankByWords = await createRanking(answers, compared, yieldControl);
  let rankByMeaning = rankByWords;
  const encodePairs = async (): Promise<void> => {
    const encodePair = async (pair: (typeof compared)[number]) => {
      pair.vector ??= await encode(pair.text, pair.language);
    };
    for (let first = 0; first < compared.length; first += pairsPerBatch)
      await Promise.all(compared.slice(first, first + pairsPerBatch).map(encodePair));
    const vectors = compared.flatMap(({ vector }) => vector ?? []);
    const scale = encodeOffTopic === null ? undefined : scaleCosines(vectors, await encodeOffTopic());
    rankByMeaning = await createRanking(answers, compared, yieldControl, scale);
  };
  let encoding: Promise<void> | undefined;
  const startEncoding = (): Promise<void> => {
    encoding ??= encodePairs().catch(() => {
      encoding = undefined;
    });
    return encoding;
  };
  void startEncoding();

  const byQuestion = new Map(pairs.map((pair) => [normalizeQuestion(pair.question), pair]));
  return {
    pairs,
    words: new Set(texts.flat().map(foldDiacritics)),
    languages,
    size: pairs.length ** 2 * bytesPerComparison + pairs.length * bytesPerPair,
    async find(question, yieldControl, { limit = defaultLimit, asked, waitMs = longestWaitMs } = {}) {
      await yieldControl();
      const exact = byQuestion.get(normalizeQuestion(question));
      if (exact !== undefined) return [{ ...exact, score: 1 }];
      const parsed = await parse(question);
      const encoded = startEncoding();
      const encodeAsked = async (signal: AbortSignal) => {
        await encoded;
        return signal.aborted ? null : encode(parsed.text, parsed.language);
      };
      const vector = asked === undefined ? await withDeadline(waitMs, encodeAsked).catch(() => null) : asked;
      await yieldControl();
      const rank = vector === null ? rankByWords : rankByMeaning;
      const ranked = rank({ similarities: compare(parsed), vector }, limit);
      return ranked.flatMap(({ index, probability }) => {
        const pair = pairs[index];
        return pair === undefined ? [] : [{ ...pair, score: probability }];
      });
    },
  };
}
