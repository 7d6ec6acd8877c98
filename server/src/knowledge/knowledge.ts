import type { GuardedEmbedding } from '../adapters/embedding/guarded-embedding.ts';
import { createDocumentStore, type DocumentStore } from './document-store.ts';
import { findGrounding, type Grounding } from './grounding.ts';
import {
  type Db,
  type DocumentState,
  findDocumentState,
  findHeadings,
  findSearchableDocuments,
  type SearchableDocument,
} from './knowledge.queries.ts';
import { createPairVectors } from './pair-vectors.ts';
import { createPairIndex, type Pair, type PairIndex, type PairMatch } from './pairs.ts';
import { computeConfidence, type RankedPassage, rankPassages } from './passage-ranking.ts';
import { type FoundPassages, findPassages } from './passage-search.ts';
import { createStemming, type Stemming } from './stemming.ts';
import type { YieldControl } from './time-slices.ts';

/** The knowledge of a bot's version, without withdrawn documents. */
export interface SearchableVersion {
  pairs: PairIndex;
  documents: readonly SearchableDocument[];
}

interface SearchResult {
  /** The best pairs with different answers, best first, also unlikely ones. */
  pairs: readonly PairMatch[];
  /** Searches the documents. `null` if they share no word with the question. */
  findPassages(): Promise<PassageMatches | null>;
}

export interface PassageMatches extends FoundPassages {
  ranking: readonly RankedPassage[];
  /** Probability, 0..1, that the best passages answer the question. */
  confidence: number;
}

/** Pairs and passages of documents, which every provider with its own retrieval searches. */
export interface Knowledge {
  stemming: Stemming;
  documents: DocumentStore;
  documentState(ref: string): Promise<DocumentState | null>;
  /** Fits the index of a version's pairs. */
  indexPairs(pairs: readonly Pair[], yieldControl: YieldControl): Promise<PairIndex>;
  /** Returns the ready ones among the documents of a team. */
  findDocuments(teamId: string, refs: readonly string[]): Promise<SearchableDocument[]>;
  /** Returns some different headings in reading order. */
  findHeadings(documents: readonly SearchableDocument[], limit: number): Promise<string[]>;
  /** The caller bounds the length of `question`. */
  search(version: SearchableVersion, question: string, yieldControl: YieldControl): Promise<SearchResult>;
  /** Returns what a language model may answer `question` from. The caller bounds its length. */
  ground(version: SearchableVersion, question: string, yieldControl: YieldControl): Promise<Grounding>;
}

export function createKnowledge(options: {
  db: Db;
  /** URL of the same database, for the threads that store long documents. */
  databaseUrl: string;
  installationId: string;
  embedding?: GuardedEmbedding | null;
}): Knowledge {
  const { db, databaseUrl, installationId, embedding = null } = options;
  const stemming = createStemming(db);
  const rankAnswers = embedding === null ? null : createPairVectors(embedding);
  return {
    stemming,
    documents: createDocumentStore({ db, stemming, databaseUrl }),
    documentState: (ref) => findDocumentState(db, installationId, ref),
    indexPairs: (pairs, yieldControl) => createPairIndex(stemming, pairs, yieldControl),
    findDocuments: (teamId, refs) => findSearchableDocuments(db, installationId, teamId, refs),
    findHeadings: (documents, limit) =>
      findHeadings(
        db,
        documents.map(({ ref }) => ref),
        limit,
      ),
    search: async ({ pairs, documents }, question, yieldControl) => ({
      pairs: await pairs.find(question, yieldControl),
      async findPassages() {
        const found = await findPassages({ db, stemming, yieldControl }, documents, question);
        if (found === null) return null;
        const ranking = await rankPassages(found, yieldControl);
        return { ...found, ranking, confidence: computeConfidence(found, ranking) };
      },
    }),
    ground: (version, question, yieldControl) =>
      findGrounding({ db, stemming, embedding, rankAnswers, yieldControl }, version, question),
  };
}
