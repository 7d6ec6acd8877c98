import { ProviderError } from '../adapters/assistant-provider/assistant-provider.ts';
import type { GuardedEmbedding } from '../adapters/embedding/guarded-embedding.ts';
import type { CandidatePassage, Db, SearchableDocument } from './knowledge.queries.ts';
import type { PairIndex, PairMatch } from './pairs.ts';
import { searchPassages } from './passage-ranking.ts';
import type { SearchContext } from './passage-search.ts';
import type { Passage } from './passages.ts';
import { findNearestPassages } from './vector-search.ts';
import { findPassageTexts, type PassageKey } from './vectors.queries.ts';

/** What a language model may answer from, best first. */
export interface Grounding {
  /** Pairs with different answers. Alone and with score 1 if the question is that of the pair. */
  pairs: readonly PairMatch[];
  passages: readonly GroundingPassage[];
  /** Why the search was by words only, for the trace. Null if it was also by meaning, or if no model is configured for that. */
  embeddingFailure: ProviderError['kind'] | null;
}

interface GroundingPassage extends Passage {
  documentRef: string;
  document: string;
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
  const byWords = found?.ranking.map(({ candidate }) => candidate) ?? [];
  const { asked, failure } = await embedded;
  const byMeaning = embedding && asked && (await findNearestPassages(db, documents, embedding.model, asked));
  return {
    pairs: await pairs.find(question, yieldControl, { limit: groundingItems, asked }),
    passages: await selectPassages(db, documents, byWords, byMeaning),
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
async function selectPassages(
  db: Db,
  documents: readonly SearchableDocument[],
  byWords: readonly CandidatePassage[],
  byMeaning: readonly PassageKey[] | null,
): Promise<GroundingPassage[]> {
  const rankings = byMeaning === null ? [byWords] : [byWords, byMeaning];
  const scores = new Map<string, number>();
  for (const [rank, key] of rankings.flatMap((ranking) => [...ranking.entries()])) {
    const score = (rankOffset + 1) / (rankOffset + 1 + rank) / rankings.length;
    scores.set(idOf(key), (scores.get(idOf(key)) ?? 0) + score);
  }
  const keys = new Map(rankings.flat().map((key) => [idOf(key), key]));
  const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, groundingItems);
  const texts =
    byMeaning === null
      ? byWords
      : await findPassageTexts(
          db,
          best.flatMap(([id]) => keys.get(id) ?? []),
        );
  const byId = new Map(texts.map((passage) => [idOf(passage), passage]));
  const names = new Map(documents.map(({ ref, name }) => [ref, name]));
  return best.flatMap(([id, score]) => {
    const passage = byId.get(id);
    if (passage === undefined) return [];
    const { documentRef, page, heading, text } = passage;
    return [{ documentRef, document: names.get(documentRef) ?? '', page, heading, text, score }];
  });
}

const idOf = ({ documentRef, ordinal }: PassageKey): string => `${documentRef}/${ordinal}`;
