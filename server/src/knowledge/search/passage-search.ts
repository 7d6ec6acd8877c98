import { toAffixes } from './index-terms.ts';
import {
  countPassagesWithTerms,
  type Db,
  type FoundPassage,
  findCandidates,
  type SearchableDocument,
} from './knowledge.queries.ts';
import { type QueryTerm, readQuery } from './query.ts';
import type { Stemming } from './stemming.ts';
import type { YieldControl } from './time-slices.ts';

export interface SearchContext {
  db: Db;
  stemming: Stemming;
  yieldControl: YieldControl;
}

export interface FoundPassages {
  terms: readonly QueryTerm[];
  candidates: readonly FoundPassage[];
  /** Weight of each term, higher for rarer ones. Parallel to `terms`. */
  weights: readonly number[];
  passageCount: number;
  documents: readonly SearchableDocument[];
}

const maxCandidates = 50;
/** The weight of a light word. So few passages do not show which words are common. */
const lightShare = 0.3;
const fewPassages = 50;
/** Prefixes and suffixes are weaker evidence than whole words. */
const affixWeight = 0.4;
/** Bounds the work of the database. The most frequent terms beyond it select no passages. */
const maxScoredPassages = 3_000;

/** Smaller collections are treated as this size, because they say little about the rarity of a word. */
const minCollectionSize = 200;

/** Finds the passages that share the rarest words with the question. `null` if none shares a word with it. */
export async function findPassages(
  { db, stemming }: SearchContext,
  documents: readonly SearchableDocument[],
  question: string,
): Promise<FoundPassages | null> {
  const languages = [...new Set(documents.map(({ language }) => language))];
  const asked = await readQuery(stemming, question, languages);
  if (asked.length === 0) return null;
  const refs = documents.map(({ ref }) => ref);
  const stems = new Set(asked.flatMap((term) => [...term.stems.values()]));
  const counts = await countPassagesWithTerms(db, refs, [...stems, ...[...stems].flatMap(toAffixes)]);
  const passageCount = sum(documents.map((document) => document.passageCount));
  const frequencyOf = ({ stems }: QueryTerm): number =>
    sum([...new Set(stems.values())].map((stem) => counts.get(stem) ?? 0));
  const hasLightWords = passageCount < fewPassages && asked.some(({ light }) => !light);
  const terms = asked
    .map((term) => ({ ...term, light: term.light && hasLightWords }))
    .filter((term) => !term.light || frequencyOf(term) > 0);
  const weights = terms.map(
    (term) => (term.light ? lightShare : 1) * inverseDocumentFrequency(passageCount, frequencyOf(term)),
  );
  const searched = selectSearchTerms(terms, weights, counts, passageCount);
  if (searched.size === 0) return null;
  const candidates = withoutCopies(await findCandidates(db, refs, searched, maxCandidates));
  return { terms, candidates, weights, passageCount, documents };
}

/** Keeps the newest of passages with the same words, so that they do not compete. */
function withoutCopies(candidates: readonly FoundPassage[]): FoundPassage[] {
  const textOf = ({ text }: FoundPassage): string =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const groups = [...Map.groupBy(candidates, textOf).values()];
  const newest = groups.map(
    (copies) => copies.toSorted((a, b) => (a.documentRef < b.documentRef ? 1 : -1))[0],
  );
  return candidates.filter((candidate) => newest.includes(candidate));
}

/** Returns the weighted terms that select candidates, rarest first, within the bound. */
function selectSearchTerms(
  terms: readonly QueryTerm[],
  weights: readonly number[],
  counts: ReadonlyMap<string, number>,
  passageCount: number,
): Map<string, number> {
  const weighted = new Map<string, number>();
  const raise = (term: string, weight: number): void => {
    if (counts.has(term)) weighted.set(term, Math.max(weight, weighted.get(term) ?? 0));
  };
  for (const [index, { stems }] of terms.entries()) {
    for (const stem of stems.values()) {
      raise(stem, weights[index] ?? 0);
      for (const affix of toAffixes(stem))
        raise(affix, affixWeight * inverseDocumentFrequency(passageCount, counts.get(affix) ?? 0));
    }
  }
  const rarestFirst = [...weighted].sort(([a], [b]) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  let weighed = 0;
  return new Map(
    rarestFirst.filter(([term], index) => {
      weighed += counts.get(term) ?? 0;
      return index === 0 || weighed <= maxScoredPassages;
    }),
  );
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** BM25 inverse document frequency, never negative. */
function inverseDocumentFrequency(texts: number, frequency: number): number {
  const all = Math.max(texts, frequency, minCollectionSize);
  return Math.log(1 + (all - frequency + 0.5) / (frequency + 0.5));
}

/** Returns the matched share of the terms' weight, 0..1; 0 without any weight. */
export function weightedShare(matches: ArrayLike<number>, weights: readonly number[]): number {
  const all = sum(weights);
  return all === 0 ? 0 : sum(weights.map((weight, term) => weight * (matches[term] ?? 0))) / all;
}
