import { CALIBRATION, chance, type Features } from './calibration.ts';
import { bestMatches } from './passage-matching.ts';
import type { RankedPassage } from './passage-ranking.ts';
import type { SearchResult } from './passage-search.ts';

const MIN_COLLECTION_SIZE = 100;

const SAME_SUBJECT = 4;
const WIDEST_MARGIN = 4;

/** Computes the features that predict whether the documents answer a question, in any language and collection size. */
export function computeConfidenceFeatures(
  { query, weights, passageCount }: SearchResult,
  ranking: readonly RankedPassage[],
): Features<typeof CALIBRATION.confidence> {
  const [top] = ranking;
  const matches = top?.matches ?? [];
  const bestAnywhere = bestMatches(
    ranking.map((passage) => passage.matches),
    weights.length,
  );
  const names = query.terms.flatMap(({ name }, term) => (name ? [matches[term] ?? 0] : []));
  const matchedNames = names.reduce((total, each) => total + each, 0);
  const informative = query.terms.flatMap(({ everyday, asking }, term) => (everyday || asking ? [] : [term]));
  const weight = weights.reduce((total, each) => total + each, 0);
  return {
    near: top?.features.near ?? 0,
    sentence: top?.features.sentence ?? 0,
    names: names.length === 0 ? 0 : matchedNames / names.length - 0.5,
    unmetNames: Math.min(2, names.length - matchedNames),
    /** Improbability that any of the passages matches this well by chance; scaled nats. */
    evidence:
      ((top?.features.sentence ?? 0) * weight - Math.log(Math.max(passageCount, MIN_COLLECTION_SIZE))) / 5,
    pairs: top?.features.pairs ?? 0,
    /** Margin over the best passage with another subject. */
    margin: Math.min(
      WIDEST_MARGIN,
      (top?.score ?? 0) - (findRival(top, ranking)?.score ?? Number.NEGATIVE_INFINITY),
    ),
    /** Informative words without any match. */
    strangers: informative.reduce((total, term) => total + 1 - (bestAnywhere[term] ?? 0), 0),
  };
}

function findRival(
  top: RankedPassage | undefined,
  ranking: readonly RankedPassage[],
): RankedPassage | undefined {
  return ranking.find(({ candidate }) => {
    if (candidate.documentRef !== top?.candidate.documentRef) return true;
    return Math.abs(candidate.ordinal - top.candidate.ordinal) > SAME_SUBJECT;
  });
}

/** Returns the probability, 0..1, that the best passages answer the question. */
export function computeConfidence(searchResult: SearchResult, ranking: readonly RankedPassage[]): number {
  return ranking.length === 0
    ? 0
    : chance(CALIBRATION.confidence, computeConfidenceFeatures(searchResult, ranking));
}
