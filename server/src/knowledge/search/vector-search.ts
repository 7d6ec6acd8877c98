import type { Db, FoundPassage, SearchableDocument } from './knowledge.queries.ts';
import { findNearVectors } from './vectors.queries.ts';
import { decodeVector, multiplyVectors, toSigns } from './vectors.ts';

/** Passages whose signs are nearest, which are then compared exactly. */
const signCandidates = 200;

/** Returns the passages nearest in meaning, best first. Only vectors of one model can be compared. */
export async function findNearestPassages(
  db: Db,
  documents: readonly SearchableDocument[],
  model: string,
  asked: Float32Array,
): Promise<FoundPassage[]> {
  const refs = documents.map(({ ref }) => ref);
  const near = await findNearVectors(db, refs, { model, signs: toSigns(asked), limit: signCandidates });
  return near
    .map(({ vector, ...passage }) => ({ passage, decoded: decodeVector(vector) }))
    .filter(({ decoded }) => decoded.length === asked.length)
    .map(({ passage, decoded }) => ({ passage, cosine: multiplyVectors(asked, decoded) }))
    .sort((a, b) => b.cosine - a.cosine)
    .map(({ passage }) => passage);
}
