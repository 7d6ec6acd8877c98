import { ProviderError } from '../adapters/assistant-provider/assistant-provider.ts';
import type { GuardedEmbedding } from '../adapters/embedding/guarded-embedding.ts';
import type { Db, SearchableDocument } from './knowledge.queries.ts';
import type { PairIndex, PairMatch } from './pairs.ts';
import { type RankedPassage, searchPassages } from './passage-ranking.ts';
import type { SearchContext } from './passage-search.ts';
import type { Passage } from './passages.ts';
import { findNearestPassages, fuseRankings, type ModelVector, type PassageKey } from './vector-search.ts';
import { findPassageTexts, type PassageText } from './vectors.queries.ts';

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
  const byWords = (await searchPassages(context, documents, question))?.ranking ?? [];
  const { asked, failure } = await embedded;
  const byMeaning = asked === null ? null : await findNearestPassages(db, documents, asked);
  return {
    pairs: await pairs.find(question, yieldControl, { limit: groundingItems, asked: asked?.vector ?? null }),
    passages: await selectPassages(db, documents, byWords, byMeaning),
    embeddingFailure: failure,
  };
}

/** Never rejects for a failure of the provider, because words alone find most answers. */
async function embedQuestion(
  embedding: GuardedEmbedding | null,
  question: string,
): Promise<{ asked: ModelVector | null; failure: ProviderError['kind'] | null }> {
  if (embedding === null) return { asked: null, failure: null };
  try {
    const [vector] = await embedding.embed([question], 'question');
    return { asked: vector === undefined ? null : { model: embedding.model, vector }, failure: null };
  } catch (error) {
    if (error instanceof ProviderError) return { asked: null, failure: error.kind };
    throw error;
  }
}

/** Returns the best passages by words and, with vectors, by meaning. */
async function selectPassages(
  db: Db,
  documents: readonly SearchableDocument[],
  byWords: readonly RankedPassage[],
  byMeaning: readonly PassageKey[] | null,
): Promise<GroundingPassage[]> {
  const words = byWords.map(({ candidate }): PassageKey => candidate);
  const fused = fuseRankings(byMeaning === null ? [words] : [words, byMeaning], keyOf);
  const best = fused.slice(0, groundingItems);
  const byKey = new Map<string, PassageText>(byWords.map(({ candidate }) => [keyOf(candidate), candidate]));
  const unread = best.flatMap(({ item }) => (byKey.has(keyOf(item)) ? [] : [item]));
  const texts = unread.length === 0 ? [] : await findPassageTexts(db, unread);
  for (const passage of texts) byKey.set(keyOf(passage), passage);
  const names = new Map(documents.map(({ ref, name }) => [ref, name]));
  return best.flatMap(({ item, score }) => {
    const passage = byKey.get(keyOf(item));
    if (passage === undefined) return [];
    const { documentRef, page, heading, text } = passage;
    return [{ documentRef, document: names.get(documentRef) ?? '', page, heading, text, score }];
  });
}

const keyOf = ({ documentRef, ordinal }: PassageKey): string => `${documentRef}/${ordinal}`;
