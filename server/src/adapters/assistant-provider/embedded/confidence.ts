import { CALIBRATION, chance, type Features } from './calibration.ts';
import { bestMatches } from './passage-matching.ts';
import type { RankedPassage } from './passage-ranking.ts';
import type { SearchResult } from './passage-search.ts';

/** In the smallest collection some passage looks fitting by chance as often as in one of this many. */
const MIN_COLLECTION_SIZE = 100;

/** Passages so near each other are about the same thing. */
const SAME_SUBJECT = 4;
/** Log-odds between the best passage and its rival; more is no more certain. */
const WIDEST_MARGIN = 4;

/** What tells whether the documents answer a question at all, in any language and however many passages there are. */
export function computeConfidenceFeatures(
  { query, weights, passageCount }: SearchResult,
  ranking: readonly RankedPassage[],
): Features<typeof CALIBRATION.confidence> {
  const [top] = ranking;
  const met = top?.met ?? [];
  const metAnywhere = bestMatches(
    ranking.map((passage) => passage.met),
    weights.length,
  );
  const names = query.terms.flatMap(({ name }, term) => (name ? [met[term] ?? 0] : []));
  const namesMet = names.reduce((total, each) => total + each, 0);
  const telling = query.terms.flatMap(({ everyday, asking }, term) => (everyday || asking ? [] : [term]));
  const weight = weights.reduce((total, each) => total + each, 0);
  return {
    near: top?.features.near ?? 0,
    sentence: top?.features.sentence ?? 0,
    names: names.length === 0 ? 0 : namesMet / names.length - 0.5,
    unmetNames: Math.min(2, names.length - namesMet),
    /** How unlikely it is that one of so many passages meets this much by chance; in nats, scaled. */
    evidence:
      ((top?.features.sentence ?? 0) * weight - Math.log(Math.max(passageCount, MIN_COLLECTION_SIZE))) / 5,
    pairs: top?.features.pairs ?? 0,
    /** How far the best passage is ahead of the best one that is about something else. */
    margin: Math.min(
      WIDEST_MARGIN,
      (top?.score ?? 0) - (findRival(top, ranking)?.score ?? Number.NEGATIVE_INFINITY),
    ),
    /** Words that tell something and that nothing found meets. */
    strangers: telling.reduce((total, term) => total + 1 - (metAnywhere[term] ?? 0), 0),
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

/** The chance, 0..1, that the best passages answer the question. */
export function computeConfidence(findings: SearchResult, ranking: readonly RankedPassage[]): number {
  return ranking.length === 0
    ? 0
    : chance(CALIBRATION.confidence, computeConfidenceFeatures(findings, ranking));
}
