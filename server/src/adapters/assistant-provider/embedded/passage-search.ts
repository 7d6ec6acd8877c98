import {
  type CandidatePassage,
  countPassagesWithTerms,
  type Db,
  findCandidates,
  type SearchableDocument,
} from './embedded.queries.ts';
import { toAffixes } from './index-terms.ts';
import type { Language } from './languages.ts';
import { SAME_WORD } from './lexicon.ts';
import { type Linguistics, type Query, type QueryTerm, readQuery } from './query.ts';
import type { Stemming } from './stemming.ts';
import { inverseDocumentFrequency, termWeight } from './term-weights.ts';
import type { YieldControl } from './time-slices.ts';
import { splitWords } from './words.ts';

export interface SearchResult {
  query: Query;
  candidates: readonly CandidatePassage[];
  documents: ReadonlyMap<string, SearchableDocument>;
  stems: ReadonlyMap<Language, ReadonlyMap<string, string | null>>;
  /** Weight of each term, higher for rarer ones. Parallel to `query.terms`. */
  weights: readonly number[];
  /** Number of passages with each term in any form. Parallel to `query.terms`. */
  frequencies: readonly number[];
  passageCount: number;
  averageWords: number;
}

const CANDIDATES = 50;
/** Prefixes and suffixes are weaker evidence than whole words. */
const AFFIX_WEIGHT = 0.4;
/** Bounds the work of the database. The most frequent terms beyond it select no passages. */
const MAX_SCORED_PASSAGES = 3_000;

/** Finds the passages that match the question best. `null` if none shares a word with it. */
export async function searchPassages(
  context: Linguistics & { db: Db; yieldControl: YieldControl },
  documents: readonly SearchableDocument[],
  question: string,
): Promise<SearchResult | null> {
  const query = await readQuery(context, question, documents);
  if (query.terms.length === 0 || documents.length === 0) return null;
  const refs = documents.map(({ ref }) => ref);
  const counts = await countPassagesWithTerms(context.db, refs, listIndexTerms(query));
  const passageCount = sum(documents.map((document) => document.passageCount));
  const frequencies = query.terms.map((term) =>
    sum(equivalentStems(term).map((stem) => counts.get(stem) ?? 0)),
  );
  const weights = query.terms.map((term, index) => termWeight(term, passageCount, frequencies[index] ?? 0));
  const terms = selectSearchTerms(query, weights, counts, passageCount);
  if (terms.size === 0) return null;
  const candidates = await findCandidates(context.db, refs, terms, CANDIDATES);
  const byRef = new Map(documents.map((document) => [document.ref, document]));
  return {
    query,
    candidates,
    documents: byRef,
    stems: await stemCandidates(context, candidates, byRef),
    weights,
    frequencies,
    passageCount,
    averageWords: sum(documents.map((document) => document.wordCount)) / Math.max(passageCount, 1),
  };
}

function equivalentStems({ readings }: QueryTerm): string[] {
  const forms = [...readings.values()].flatMap(({ stem, related }) => [
    stem,
    ...[...related].flatMap(([other, similarity]) => (similarity >= SAME_WORD ? [other] : [])),
  ]);
  return [...new Set(forms)];
}

function listIndexTerms({ terms }: Query): string[] {
  const readings = terms.flatMap((term) => [...term.readings.values()]);
  return [...new Set(readings.flatMap(({ stem, related }) => [stem, ...related.keys(), ...toAffixes(stem)]))];
}

/** Returns the weighted terms that select candidates, rarest first, within the bound. */
function selectSearchTerms(
  query: Query,
  weights: readonly number[],
  counts: ReadonlyMap<string, number>,
  passageCount: number,
): Map<string, number> {
  const weighted = new Map<string, number>();
  const raise = (term: string, weight: number): void => {
    if (counts.has(term)) weighted.set(term, Math.max(weight, weighted.get(term) ?? 0));
  };
  for (const [index, { readings }] of query.terms.entries()) {
    const weight = weights[index] ?? 0;
    for (const { stem, related } of readings.values()) {
      raise(stem, weight);
      for (const [other, similarity] of related) raise(other, similarity * weight);
      for (const affix of toAffixes(stem))
        raise(affix, AFFIX_WEIGHT * inverseDocumentFrequency(passageCount, counts.get(affix) ?? 0));
    }
  }
  const rarestFirst = [...weighted].sort(([a], [b]) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  let weighed = 0;
  return new Map(
    rarestFirst.filter(([term], index) => {
      weighed += counts.get(term) ?? 0;
      return index === 0 || weighed <= MAX_SCORED_PASSAGES;
    }),
  );
}

async function stemCandidates(
  { stemming, yieldControl }: { stemming: Stemming; yieldControl: YieldControl },
  candidates: readonly CandidatePassage[],
  documents: ReadonlyMap<string, SearchableDocument>,
): Promise<Map<Language, Map<string, string | null>>> {
  const forms = new Map<Language, Set<string>>();
  for (const { documentRef, heading, text } of candidates) {
    await yieldControl();
    const { language = 'simple', name = '' } = documents.get(documentRef) ?? {};
    const known = forms.get(language) ?? new Set();
    forms.set(language, known);
    for (const { form } of splitWords(`${name}\n${heading ?? ''}\n${text}`)) known.add(form);
  }
  const stems = new Map<Language, Map<string, string | null>>();
  for (const [language, words] of forms) stems.set(language, await stemming.stems(language, words));
  return stems;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
