import type { QueryTerm } from './query.ts';

const ASKING_WEIGHT = 0.25;
const EVERYDAY_WEIGHT = 0.6;
/** Smaller collections are treated as this size, because they say little about the rarity of a word. */
const MIN_COLLECTION_SIZE = 200;

/** BM25 inverse document frequency, never negative. */
export function inverseDocumentFrequency(texts: number, frequency: number): number {
  const all = Math.max(texts, frequency, MIN_COLLECTION_SIZE);
  return Math.log(1 + (all - frequency + 0.5) / (frequency + 0.5));
}

export function termWeight(
  { asking, everyday }: Pick<QueryTerm, 'asking' | 'everyday'>,
  texts: number,
  frequency: number,
): number {
  return (
    inverseDocumentFrequency(texts, frequency) * (asking ? ASKING_WEIGHT : everyday ? EVERYDAY_WEIGHT : 1)
  );
}

/** Returns the matched share of the terms' weight, 0..1; 0 without any weight. */
export function weightedShare(matches: ArrayLike<number>, weights: readonly number[]): number {
  let total = 0;
  let all = 0;
  for (const [term, weight] of weights.entries()) {
    total += weight * (matches[term] ?? 0);
    all += weight;
  }
  return all === 0 ? 0 : total / all;
}
