/**
 * The numbers of the embedded provider that come from measuring and not from reasoning. Fitted by
 * `bench/answers/calibrate.ts` on the even-numbered questions of `bench/answers/sets`.
 */
export const CALIBRATION = {
  /** Weights of a passage's score beside BM25. */
  ranking: { own: 1, near: 1, sentence: 1, pairs: 0.1 },
  /** Log-odds that a sentence holds the answer. */
  sentence: {
    bias: -4,
    weights: {
      passage: 5,
      rank: -0.8,
      met: 3,
      before: 0.8,
      after: 0.6,
      number: 0.8,
      name: 0.5,
      length: 0.3,
      pairs: 0.3,
      best: 0.8,
    },
  },
  /** Log-odds that the best passages hold the answer at all. */
  confidence: { bias: -5, weights: { own: 4, near: 3, sentence: 3, specific: 1, unknown: -1 } },
  /** Cosine from which on a question is taken for that of a pair. */
  leastPairLikeness: 0.5,
  /** Below this chance of being right, the provider says that it does not know. */
  leastConfidence: 0.5,
} as const;
