import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import type { Db, FoundPassage, SearchableDocument } from './knowledge.queries.ts';
import type { PairIndex, PairMatch } from './pairs.ts';
import { searchPassages } from './passage-ranking.ts';
import type { SearchContext } from './passage-search.ts';
import { findNearVectors } from './vectors.queries.ts';
import { decodeVector, multiplyVectors, toSigns } from './vectors.ts';

/** What a language model may answer from, best first. */
export interface Grounding {
  /** Pairs with different answers. Alone and with score 1 if the question is that of the pair. */
  pairs: readonly PairMatch[];
  passages: readonly GroundingPassage[];
  /** Why the search was by words only, for the trace. Null if it was also by meaning, or if no model is configured for that. */
  embeddingFailure: ProviderError['kind'] | null;
}

interface GroundingPassage extends FoundPassage {
  /** From 0 to 1. Comparable only within one search. */
  score: number;
}

/** Items of each kind that a model gets. Eight passages are about 3,000 tokens. */
const groundingItems = 8;

/** Finds what a language model may answer `question` from: by words and, with an embedding model, by meaning. */
export async function findGrounding(
  context: SearchContext & { embedding: GuardedEmbedding | null },
  { pairs, documents }: { pairs: PairIndex; documents: readonly SearchableDocument[] },
  question: string,
): Promise<Grounding> {
  const { db, embedding, yieldControl } = context;
  const isEmpty = documents.length === 0 && pairs.pairs.length === 0;
  const embedded = embedQuestion(isEmpty ? null : embedding, question);
  const found = await searchPassages(context, documents, question);
  const { asked, failure } = await embedded;
  const rankings: FoundPassage[][] = [found?.ranking.map(({ candidate }) => candidate) ?? []];
  if (embedding && asked) rankings.push(await findNearestPassages(db, documents, embedding.model, asked));
  return {
    pairs: await pairs.find(question, yieldControl, { limit: groundingItems, asked }),
    passages: mergeRankings(rankings),
    embeddingFailure: failure,
  };
}

/** Never rejects for a failure of the provider, because words alone find most answers. */
async function embedQuestion(
  embedding: GuardedEmbedding | null,
  question: string,
): Promise<{ asked: Float32Array | null; failure: ProviderError['kind'] | null }> {
  if (embedding === null) return { asked: null, failure: null };
  try {
    const [asked = null] = await embedding.embed([question], 'question');
    return { asked, failure: null };
  } catch (error) {
    if (error instanceof ProviderError) return { asked: null, failure: error.kind };
    throw error;
  }
}

/** Lessens the difference between the first ranks. The usual value of reciprocal rank fusion. */
const rankOffset = 60;

/** Merges the rankings. A passage's score, from 0 to 1, is highest if it is the first of all rankings. */
function mergeRankings(rankings: readonly (readonly FoundPassage[])[]): GroundingPassage[] {
  const merged = new Map<string, GroundingPassage>();
  for (const [rank, passage] of rankings.flatMap((ranking) => [...ranking.entries()])) {
    const id = `${passage.documentRef}/${passage.ordinal}`;
    const score = (rankOffset + 1) / (rankOffset + 1 + rank) / rankings.length + (merged.get(id)?.score ?? 0);
    merged.set(id, { ...passage, score });
  }
  return [...merged.values()].sort((a, b) => b.score - a.score).slice(0, groundingItems);
}

/** Passages whose signs are nearest, which are then compared exactly. */
const signCandidates = 200;

/** Returns the passages nearest in meaning, best first. Only vectors of one model can be compared. */
async function findNearestPassages(
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
