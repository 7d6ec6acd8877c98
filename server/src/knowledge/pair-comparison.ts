import type { Features } from './question-features.ts';

/** Returns a function that computes the similarities of a question to the given ones, each from 0 to 1. */
export function createComparison(questions: readonly Features[]): (question: Features) => Float32Array {
  /** For each feature, alternately the index of a question with it and the weight of the feature there. */
  const postings = new Map<string, number[]>();
  for (const [index, features] of questions.entries()) {
    for (const [feature, weight] of features) {
      const known = postings.get(feature);
      if (known === undefined) postings.set(feature, [index, weight]);
      else known.push(index, weight);
    }
  }
  const count = questions.length;
  return (question) => {
    const similarities = new Float32Array(count);
    for (const [feature, weight] of question) {
      const posting = postings.get(feature) ?? [];
      for (let at = 0; at < posting.length; at += 2) {
        const index = posting[at] ?? 0;
        similarities[index] = (similarities[index] ?? 0) + weight * (posting[at + 1] ?? 0);
      }
    }
    return similarities;
  };
}
