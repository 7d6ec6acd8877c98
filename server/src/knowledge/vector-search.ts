import type { Db, SearchableDocument } from './knowledge.queries.ts';
import { findNearVectors } from './vectors.queries.ts';
import { decodeVector, multiplyVectors, toSigns } from './vectors.ts';

export interface PassageKey {
  documentRef: string;
  ordinal: number;
}

/** The vector of a question. Only vectors of one model can be compared. */
export interface ModelVector {
  model: string;
  vector: Float32Array;
}

/** Passages whose signs are nearest, which are then compared exactly. */
const signCandidates = 200;
const nearestCount = 50;

/** Returns the passages nearest in meaning, best first. */
export async function findNearestPassages(
  db: Db,
  documents: readonly SearchableDocument[],
  { model, vector: asked }: ModelVector,
): Promise<PassageKey[]> {
  const refs = documents.map(({ ref }) => ref);
  const near = await findNearVectors(db, refs, {
    model,
    signs: toSigns(asked),
    limit: signCandidates,
  });
  return near
    .map(({ vector, ...key }) => ({ key, decoded: decodeVector(vector) }))
    .filter(({ decoded }) => decoded.length === asked.length)
    .map(({ key, decoded }) => ({ key, cosine: multiplyVectors(asked, decoded) }))
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, nearestCount)
    .map(({ key }) => key);
}

/** Lessens the difference between the first ranks. The usual value of reciprocal rank fusion. */
const rankOffset = 60;

/** Merges rankings. An item's score, from 0 to 1, is highest if it is the first of all rankings. */
export function fuseRankings<Item>(
  rankings: readonly (readonly Item[])[],
  keyOf: (item: Item) => string,
): { item: Item; score: number }[] {
  const fused = new Map<string, { item: Item; score: number }>();
  for (const ranking of rankings) {
    for (const [rank, item] of ranking.entries()) {
      const known = fused.get(keyOf(item)) ?? { item, score: 0 };
      known.score += (rankOffset + 1) / (rankOffset + 1 + rank) / rankings.length;
      fused.set(keyOf(item), known);
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
