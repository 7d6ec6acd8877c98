import { CALIBRATION, type Features, logOdds } from './calibration.ts';
import { bestMatches, type MatchedPassage, matchCandidates, type TermMatches } from './passage-matching.ts';
import type { SearchResult } from './passage-search.ts';
import { weightedShare } from './term-weights.ts';
import type { YieldControl } from './time-slices.ts';

export interface RankedPassage extends MatchedPassage {
  /** Log-odds of containing the answer. Comparable only within one question. */
  score: number;
  features: Features<typeof CALIBRATION.ranking>;
}

const K1 = 1.2;
const B = 0.75;
/** Passages before and after that count as neighbours, and the weight of their matches. */
const NEIGHBOURHOOD = 2;
const NEIGHBOUR_SHARE = 0.5;
const TITLE_SHARE = 0.6;
/** More pairs in one sentence add no evidence. */
export const MAX_PAIRS = 3;

export async function rankPassages(
  searchResult: SearchResult,
  yieldControl: YieldControl,
): Promise<RankedPassage[]> {
  const passages = await matchCandidates(searchResult, yieldControl);
  const names = searchResult.query.terms.map(({ name }, term) =>
    name ? (searchResult.weights[term] ?? 0) : 0,
  );
  const ranked: RankedPassage[] = [];
  for (const passage of passages) {
    await yieldControl();
    const share = (matches: TermMatches): number => weightedShare(matches, searchResult.weights);
    const around = findNeighbours(passage, passages).map(({ matches }) => matches);
    const own = addWeakerMatches(passage.titleMatches, TITLE_SHARE, passage.matches);
    const near = addWeakerMatches(bestMatches(around, searchResult.weights.length), NEIGHBOUR_SHARE, own);
    const features = {
      bm25: computeBm25(passage, searchResult),
      own: share(own),
      near: share(near),
      sentence: Math.max(0, ...passage.sentences.map(({ matches }) => share(matches))),
      two: Math.max(0, ...matchAdjacentSentences(passage).map(share)),
      pairs: Math.min(MAX_PAIRS, Math.max(0, ...passage.sentences.map(({ pairs }) => pairs))),
      names: weightedShare(passage.matches, names),
    };
    ranked.push({ ...passage, score: logOdds(CALIBRATION.ranking, features), features });
  }
  return ranked.sort((a, b) => b.score - a.score);
}

function addWeakerMatches(other: TermMatches, share: number, matches: TermMatches): number[] {
  return matches.map((similarity, term) => Math.max(similarity, share * (other[term] ?? 0)));
}

function computeBm25(
  { occurrences, candidate }: MatchedPassage,
  { weights, averageWords }: SearchResult,
): number {
  const length = 1 - B + (B * candidate.wordCount) / Math.max(averageWords, 1);
  const saturated = occurrences.map((count) => (count * (K1 + 1)) / (count + K1 * length));
  return weightedShare(saturated, weights);
}

function matchAdjacentSentences({ sentences, matches }: MatchedPassage): TermMatches[] {
  return sentences.map((sentence, index) =>
    bestMatches([sentence.matches, sentences[index + 1]?.matches ?? []], matches.length),
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
