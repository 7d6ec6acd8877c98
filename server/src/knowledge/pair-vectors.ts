import type { GuardedEmbedding } from '../adapters/embedding/guarded-embedding.ts';
import type { PairIndex } from './pairs.ts';
import { multiplyVectors } from './vectors.ts';

const batchSize = 32;

interface Embedded {
  vectors: Float32Array[];
  running: boolean;
}

/** Returns the answers of the pairs, nearest in meaning first; `null` as long as some pairs have no vector. */
export type RankAnswers = (index: PairIndex, asked: Float32Array) => readonly string[] | null;

/**
 * Keeps the vectors of pairs in memory, as long as their index. The first question starts to embed them and does not wait. After
 * a failure, a later question continues.
 */
export function createPairVectors(embedding: GuardedEmbedding): RankAnswers {
  const known = new WeakMap<PairIndex, Embedded>();

  const embedRest = async ({ pairs }: PairIndex, state: Embedded): Promise<void> => {
    if (state.running) return;
    state.running = true;
    try {
      while (state.vectors.length < pairs.length) {
        const batch = pairs.slice(state.vectors.length, state.vectors.length + batchSize);
        const questions = batch.map(({ question }) => question);
        state.vectors.push(...(await embedding.embed(questions, 'pairs')));
      }
    } catch {
      // The metric counts it and `/readyz?verbose` reports it.
    } finally {
      state.running = false;
    }
  };

  return (index, asked) => {
    const state = known.get(index) ?? { vectors: [], running: false };
    known.set(index, state);
    if (state.vectors.length < index.pairs.length) {
      void embedRest(index, state);
      return null;
    }
    const ranked = index.pairs
      .map(({ answer }, at) => ({ answer, cosine: multiplyVectors(asked, state.vectors[at] ?? asked) }))
      .sort((a, b) => b.cosine - a.cosine);
    return [...new Set(ranked.map(({ answer }) => answer))];
  };
}
