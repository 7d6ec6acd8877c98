import { CALIBRATION, type Features, logOdds } from './calibration.ts';
import { bestMatches, type MatchedPassage, matchCandidates, type TermMatches } from './passage-matching.ts';
import type { SearchResult } from './passage-search.ts';
import { weightedShare } from './term-weights.ts';
import type { YieldControl } from './time-slices.ts';

export interface RankedPassage extends MatchedPassage {
  /** Log-odds of holding the answer: comparable within one question. */
  score: number;
  features: Features<typeof CALIBRATION.ranking>;
}

/** BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;
/** How many passages before and after one count as its neighbourhood, and how much what is met there counts. */
const NEIGHBOURHOOD = 2;
const NEIGHBOUR_SHARE = 0.5;
/** How much counts what is met in the heading or in the document's name. */
const TITLE_SHARE = 0.6;
/** More pairs in one sentence tell no more. */
export const MAX_PAIRS = 3;

/** Reads and ranks the candidates, best first. */
export async function rankPassages(
  findings: SearchResult,
  yieldControl: YieldControl,
): Promise<RankedPassage[]> {
  const passages = await matchCandidates(findings, yieldControl);
  const names = findings.query.terms.map(({ name }, term) => (name ? (findings.weights[term] ?? 0) : 0));
  const ranked: RankedPassage[] = [];
  for (const passage of passages) {
    await yieldControl();
    const share = (met: TermMatches): number => weightedShare(met, findings.weights);
    const around = findNeighbours(passage, passages).map(({ met }) => met);
    const own = addWeakerMatches(passage.titleMet, TITLE_SHARE, passage.met);
    const near = addWeakerMatches(bestMatches(around, findings.weights.length), NEIGHBOUR_SHARE, own);
    const features = {
      bm25: computeBm25(passage, findings),
      own: share(own),
      near: share(near),
      sentence: Math.max(0, ...passage.sentences.map(({ met }) => share(met))),
      two: Math.max(0, ...matchAdjacentSentences(passage).map(share)),
      pairs: Math.min(MAX_PAIRS, Math.max(0, ...passage.sentences.map(({ pairs }) => pairs))),
      names: weightedShare(passage.met, names),
    };
    ranked.push({ ...passage, score: logOdds(CALIBRATION.ranking, features), features });
  }
  return ranked.sort((a, b) => b.score - a.score);
}

function addWeakerMatches(other: TermMatches, share: number, met: TermMatches): number[] {
  return met.map((similarity, term) => Math.max(similarity, share * (other[term] ?? 0)));
}

/** BM25 over the weight of all terms. */
function computeBm25(
  { occurrences, candidate }: MatchedPassage,
  { weights, averageWords }: SearchResult,
): number {
  const length = 1 - B + (B * candidate.wordCount) / Math.max(averageWords, 1);
  const saturated = occurrences.map((count) => (count * (K1 + 1)) / (count + K1 * length));
  return weightedShare(saturated, weights);
}

/** What every two neighbouring sentences meet together. */
function matchAdjacentSentences({ sentences, met }: MatchedPassage): TermMatches[] {
  return sentences.map((sentence, index) =>
    bestMatches([sentence.met, sentences[index + 1]?.met ?? []], met.length),
  );
}

function findNeighbours(
  { candidate }: MatchedPassage,
  passages: readonly MatchedPassage[],
): MatchedPassage[] {
  return passages.filter(({ candidate: other }) => {
    if (other === candidate || other.documentRef !== candidate.documentRef) return false;
    return Math.abs(other.ordinal - candidate.ordinal) <= NEIGHBOURHOOD;
  });
}
