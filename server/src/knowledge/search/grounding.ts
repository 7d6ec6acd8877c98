import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { calibration } from './calibration.ts';
import { type Db, type FoundPassage, readPassages, type SearchableDocument } from './knowledge.queries.ts';
import { leastPairScore, type Pair, type PairIndex, type PairMatch } from './pairs.ts';
import { searchPassages } from './passage-ranking.ts';
import { type SearchContext, sum } from './passage-search.ts';
import { findNearVectors } from './vectors.queries.ts';
import { decodeVector, multiplyVectors, toSigns } from './vectors.ts';

/** What a language model may answer from, best first. */
export interface Grounding {
  /** The first one has score 1 if the question is that of the pair. */
  pairs: readonly PairMatch[];
  passages: readonly GroundingPassage[];
  /** Whether this is all that the bot knows, so that it is the same for every question, except for its order. */
  isWhole: boolean;
  /** Whether the search found nothing that probably answers, and not all is sent anyway. */
  isWeak: boolean;
  /** Why the search was by words only, for the trace. Null if it was also by meaning, or if no model is configured for that. */
  embeddingFailure: ProviderError['kind'] | null;
}

interface GroundingPassage extends FoundPassage {
  /** From 0 to 1. Comparable only within one search. 0 if the search did not find it. */
  score: number;
}

/** In UTF-8, whose bytes estimate tokens in every script. About 6,000 tokens. */
const maxGroundingBytes = 24_000;
/** Documents with more passages hardly fit. */
const maxPassagesToRead = 200;
const maxFoundPairs = 50;

/**
 * Finds what a language model may answer `question` from: all that the bot knows if it fits, else as much as fits. It ranks by
 * words and, with an embedding model, by meaning.
 */
export async function findGrounding(
  context: SearchContext & { embedding: GuardedEmbedding | null },
  { pairs: index, documents }: { pairs: PairIndex; documents: readonly SearchableDocument[] },
  question: string,
): Promise<Grounding> {
  const { db, embedding, yieldControl } = context;
  const passageCount = sum(documents.map((document) => document.passageCount));
  const isSmall = passageCount <= maxPassagesToRead;
  // Refs are in the order of their creation.
  const refs = documents.map(({ ref }) => ref).sort();
  const inOrder = isSmall ? withoutRepetitions(await readPassages(db, refs), readPassageText) : [];
  const allPairs = withoutRepetitions(index.pairs, readPairText);
  const bytes = sum([...allPairs.map(readPairText), ...inOrder.map(readPassageText)].map(countBytes));
  const isWhole = isSmall && bytes <= maxGroundingBytes;
  const embedded = embedQuestion(passageCount + allPairs.length === 0 ? null : embedding, question);
  const found = await searchPassages(context, documents, question);
  const { asked, failure } = await embedded;
  const rankings: FoundPassage[][] = [found?.ranking.map(({ candidate }) => candidate) ?? []];
  if (embedding && asked) rankings.push(await findNearestPassages(db, documents, embedding.model, asked));
  const foundPairs = await index.find(question, yieldControl, { limit: maxFoundPairs, asked });
  const ranked = mergeRankings(rankings);
  return {
    ...fillBudget(
      rank(allPairs, foundPairs, readPairText),
      rank(isSmall ? inOrder : ranked, ranked, readPassageText),
    ),
    isWhole,
    isWeak:
      !isWhole &&
      (found?.confidence ?? 0) < calibration.leastConfidence &&
      (foundPairs[0]?.score ?? 0) < leastPairScore,
    embeddingFailure: failure,
  };
}

const readPairText = ({ question, answer }: Pair): string => normalizeSpace(`${question}\n${answer}`);
const readPassageText = ({ heading, text }: FoundPassage): string =>
  normalizeSpace(`${heading ?? ''}\n${text}`);
const normalizeSpace = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const countBytes = (text: string): number => Buffer.byteLength(text);

/** Keeps the first one of each text. */
const withoutRepetitions = <Item>(items: readonly Item[], readText: (item: Item) => string): Item[] =>
  [...Map.groupBy(items, readText).values()].flatMap(([first]) => (first === undefined ? [] : [first]));

/** Returns the items in the order of the found ones and with their scores, then the others. */
function rank<Item extends object>(
  items: readonly Item[],
  found: readonly (Item & { score: number })[],
  readText: (item: Item) => string,
): (Item & { score: number })[] {
  const known = new Map(items.map((item) => [readText(item), item]));
  const ranked = found.flatMap((match) => {
    const item = known.get(readText(match));
    known.delete(readText(match));
    return item === undefined ? [] : [{ ...item, score: match.score }];
  });
  return [...ranked, ...[...known.values()].map((item) => ({ ...item, score: 0 }))];
}

/** Takes the best pair and the best passage in turn, as long as they fit. */
function fillBudget(pairs: readonly PairMatch[], passages: readonly GroundingPassage[]) {
  const kept = { pairs: [] as PairMatch[], passages: [] as GroundingPassage[] };
  let left = maxGroundingBytes;
  const takes = (text: string): boolean => {
    const bytes = countBytes(text);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  for (let rank = 0; rank < Math.max(pairs.length, passages.length); rank += 1) {
    const [pair, passage] = [pairs[rank], passages[rank]];
    if (pair !== undefined && takes(readPairText(pair))) kept.pairs.push(pair);
    if (passage !== undefined && takes(readPassageText(passage))) kept.passages.push(passage);
  }
  return kept;
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
  return [...merged.values()].sort((a, b) => b.score - a.score);
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
