import type { QueryTerm } from './query.ts';

/** A word of asking tells next to nothing of the subject. */
const ASKING_WEIGHT = 0.25;
/** An everyday word may be anywhere. */
const EVERYDAY_WEIGHT = 0.6;
/** A few texts tell little of how rare a word is: fewer than this are taken for part of so many. */
const MIN_COLLECTION_SIZE = 200;

/** Inverse document frequency as BM25 has it; never negative. */
export function inverseDocumentFrequency(texts: number, frequency: number): number {
  const all = Math.max(texts, frequency, MIN_COLLECTION_SIZE);
  return Math.log(1 + (all - frequency + 0.5) / (frequency + 0.5));
}

/** How much a term tells that occurs in `frequency` of the texts. */
export function termWeight(
  { asking, everyday }: Pick<QueryTerm, 'asking' | 'everyday'>,
  texts: number,
  frequency: number,
): number {
  return (
    inverseDocumentFrequency(texts, frequency) * (asking ? ASKING_WEIGHT : everyday ? EVERYDAY_WEIGHT : 1)
  );
}

/** The share of the terms' weight that is met, 0..1; 0 when nothing has weight. `met`: how well each is, 0..1. */
export function weightedShare(met: ArrayLike<number>, weights: readonly number[]): number {
  let total = 0;
  let all = 0;
  for (const [term, weight] of weights.entries()) {
    total += weight * (met[term] ?? 0);
    all += weight;
  }
  return all === 0 ? 0 : total / all;
}
