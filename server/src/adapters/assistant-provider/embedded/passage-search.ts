import {
  type CandidatePassage,
  countPassagesWithTerms,
  type Db,
  findCandidates,
  type SearchableDocument,
} from './embedded.queries.ts';
import { type Query, readQuery } from './query.ts';
import type { Language, Stemming } from './stemming.ts';
import { affixesOf } from './terms.ts';
import { wordsOf } from './words.ts';

/** What a search has found, with all that ranking needs. */
export interface Findings {
  query: Query;
  candidates: readonly CandidatePassage[];
  documents: ReadonlyMap<string, SearchableDocument>;
  /** Stems of all words of the candidates. */
  stems: ReadonlyMap<Language, ReadonlyMap<string, string | null>>;
  /** How much a term tells: the rarer, the more. Parallel to `query.terms`. */
  weights: readonly number[];
  /** In how many passages each term occurs. Parallel to `query.terms`. */
  frequencies: readonly number[];
  passageCount: number;
  averageWords: number;
}

/** Passages that are read closely, out of all that contain a word of the question. */
const CANDIDATES = 50;
/** A word of asking tells next to nothing of the subject. */
const ASKING_WEIGHT = 0.25;
const AFFIX_WEIGHT = 0.4;
/** Passages that the database may have to weigh; beyond, the commonest terms stop bringing in passages by themselves. */
const MOST_WEIGHED = 3_000;

/** Finds the passages that share most with the question. `null` when none shares a word with it. */
export async function searchPassages(
  context: { db: Db; stemming: Stemming },
  documents: readonly SearchableDocument[],
  question: string,
): Promise<Findings | null> {
  const { db, stemming } = context;
  const query = await readQuery(stemming, question, documents);
  if (query.terms.length === 0 || documents.length === 0) return null;
  const refs = documents.map(({ ref }) => ref);
  const passageCount = documents.reduce((sum, document) => sum + document.passageCount, 0);
  const indexTerms = new Set(
    query.terms.flatMap(({ stems }) => [...stems.values()].flatMap((stem) => [stem, ...affixesOf(stem)])),
  );
  const counts = await countPassagesWithTerms(db, refs, [...indexTerms]);
  const frequencies = query.terms.map(({ stems }) =>
    [...new Set(stems.values())].reduce((sum, stem) => sum + (counts.get(stem) ?? 0), 0),
  );
  const weights = query.terms.map(
    ({ asking }, index) => rarity(passageCount, frequencies[index] ?? 0) * (asking ? ASKING_WEIGHT : 1),
  );
  const terms = searchTerms(query, weights, counts, passageCount);
  if (terms.size === 0) return null;
  const candidates = await findCandidates(db, refs, terms, CANDIDATES);
  const byRef = new Map(documents.map((document) => [document.ref, document]));
  return {
    query,
    candidates,
    documents: byRef,
    stems: await stemsOf(stemming, candidates, byRef),
    weights,
    frequencies,
    passageCount,
    averageWords:
      documents.reduce((sum, document) => sum + document.wordCount, 0) / Math.max(passageCount, 1),
  };
}

/** Inverse document frequency as BM25 has it; never negative. */
function rarity(passages: number, frequency: number): number {
  return Math.log(1 + (passages - Math.min(frequency, passages) + 0.5) / (frequency + 0.5));
}

/** The terms of the index that bring in candidates, with their weights, rarest first and within bounds. */
function searchTerms(
  query: Query,
  weights: readonly number[],
  counts: ReadonlyMap<string, number>,
  passageCount: number,
): Map<string, number> {
  const weighted = new Map<string, number>();
  for (const [index, { stems }] of query.terms.entries()) {
    for (const stem of stems.values()) {
      if (counts.has(stem)) weighted.set(stem, weights[index] ?? 0);
      for (const affix of affixesOf(stem)) {
        const frequency = counts.get(affix);
        if (frequency !== undefined) weighted.set(affix, rarity(passageCount, frequency) * AFFIX_WEIGHT);
      }
    }
  }
  const rarestFirst = [...weighted].sort(([a], [b]) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  let weighed = 0;
  return new Map(
    rarestFirst.filter(([term], index) => {
      weighed += counts.get(term) ?? 0;
      return index === 0 || weighed <= MOST_WEIGHED;
    }),
  );
}

async function stemsOf(
  stemming: Stemming,
  candidates: readonly CandidatePassage[],
  documents: ReadonlyMap<string, SearchableDocument>,
): Promise<Map<Language, Map<string, string | null>>> {
  const forms = new Map<Language, Set<string>>();
  for (const { documentRef, heading, text } of candidates) {
    const language = documents.get(documentRef)?.language ?? 'simple';
    const known = forms.get(language) ?? new Set();
    forms.set(language, known);
    for (const { form } of wordsOf(`${heading ?? ''}\n${text}`)) known.add(form);
  }
  const stems = new Map<Language, Map<string, string | null>>();
  for (const [language, words] of forms) stems.set(language, await stemming.stems(language, words));
  return stems;
}
