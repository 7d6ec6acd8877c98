import { createBatch } from '../../platform/shared/batch.ts';
import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import type { EncodeSentence } from '../../ports/embedding/sentence-encoder.ts';
import type { ProviderDocument } from '../assistant-provider/assistant-provider.ts';
import { withoutCopies } from './document-versions.ts';
import { storeDocument } from './documents.ts';
import { findGrounding } from './grounding.ts';
import {
  type Db,
  findDocumentState,
  findQuestions,
  findSearchableDocuments,
  findSimilarDocuments,
  type SearchableDocument,
} from './knowledge.queries.ts';
import { useKnownWords } from './known-words.ts';
import offTopic from './off-topic.json' with { type: 'json' };
import { createPairIndex, type Pair, type PairIndex } from './pairs.ts';
import { searchPassages } from './passage-ranking.ts';
import type { OnRetrieval } from './retrieval-spans.ts';
import { createStemming } from './stemming.ts';
import type { NewObject } from './tagged-objects.sql.ts';
import type { YieldControl } from './time-slices.ts';

/** The knowledge of a bot's version, without withdrawn documents. */
export interface SearchableVersion {
  pairs: PairIndex;
  documents: Documents;
}

type Documents = readonly SearchableDocument[];

/** Pairs and passages of documents, which every provider with its own retrieval searches. */
export type Knowledge = ReturnType<typeof createKnowledge>;

export function createKnowledge(options: {
  db: Db;
  installationId: string;
  embedding?: GuardedEmbedding | null;
  /** Compares the meanings of a question and of pairs, unless there is an embedding model. */
  encode?: EncodeSentence;
  onRetrieval?: OnRetrieval | undefined;
}) {
  const { db, installationId, embedding = null, onRetrieval = () => undefined } = options;
  const stemming = createStemming(db);
  const encode = embedding === null ? options.encode : encodePairs(embedding);
  const encodeOffTopic = embedding === null ? null : encodeOnce(embedding, offTopic);
  const observe = async <Found>(search: Promise<Found>): Promise<Found> => {
    const startedAt = Date.now();
    let failed = true;
    try {
      const found = await search;
      failed = false;
      return found;
    } finally {
      onRetrieval({ startedAt, failed });
    }
  };
  return {
    stemming,
    storeDocument: (object: NewObject, document: ProviderDocument, yieldControl: YieldControl) =>
      storeDocument({ db, stemming, yieldControl }, object, document),
    documentState: (ref: string) => findDocumentState(db, installationId, ref),
    /** Fits the index of a version's pairs. */
    indexPairs: (pairs: readonly Pair[], yieldControl: YieldControl) =>
      createPairIndex(stemming, pairs, yieldControl, encode, encodeOffTopic),
    /** Returns the ready ones among the documents of a team, without older copies. */
    findDocuments: async (teamId: string, refs: readonly string[]) =>
      withoutCopies(await findSearchableDocuments(db, installationId, teamId, refs)),
    /** Returns the refs of a few documents of the same team that are nearly the same. */
    findSimilarDocuments: (ref: string) => findSimilarDocuments(db, installationId, ref, maxSimilar),
    /** Returns some different headings that are questions, in reading order. */
    findQuestions: (refs: readonly string[], limit: number) => findQuestions(db, refs, limit),
    /** Writes a question with words that the knowledge has. The caller bounds its length. */
    useKnownWords: (version: SearchableVersion, question: string) =>
      useKnownWords({ db, stemming }, version, question),
    /** The caller bounds the length of `question`. */
    searchPassages: (documents: Documents, question: string, yieldControl: YieldControl) =>
      observe(searchPassages({ db, stemming, yieldControl }, documents, question)),
    /** Returns what a language model may answer `question` from. The caller bounds its length. */
    ground: (version: SearchableVersion, question: string, yieldControl: YieldControl) =>
      observe(findGrounding({ db, stemming, embedding, yieldControl }, version, question)),
  };
}

/** Encodes the texts with the first call that succeeds. */
export function encodeOnce(
  embedding: GuardedEmbedding,
  texts: readonly string[],
): () => Promise<Float32Array[]> {
  let encoded: Promise<Float32Array[]> | null = null;
  return () => {
    encoded ??= embedding.embed(texts, 'pairs').catch((error: unknown) => {
      encoded = null;
      throw error;
    });
    return encoded;
  };
}

const maxSimilar = 5;
const pairsPerRequest = 32;

export function encodePairs(embedding: GuardedEmbedding): EncodeSentence {
  const run = (texts: string[]) => embedding.embed(texts, 'pairs');
  const batch = createBatch({ waitMs: 0, maxItems: pairsPerRequest, run });
  return (text) => batch.add(text);
}
