import { CALIBRATION, type Features, logOdds } from './calibration.ts';
import type { Findings } from './passage-search.ts';
import { bestMet, type Met, type ReadPassage, readCandidates } from './reading.ts';
import { shareOf } from './term-weights.ts';
import type { GiveWay } from './time-slices.ts';

export interface RankedPassage extends ReadPassage {
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
export const MOST_PAIRS = 3;

/** Reads and ranks the candidates, best first. */
export async function rankPassages(findings: Findings, giveWay: GiveWay): Promise<RankedPassage[]> {
  const passages = await readCandidates(findings, giveWay);
  const names = findings.query.terms.map(({ name }, term) => (name ? (findings.weights[term] ?? 0) : 0));
  const ranked: RankedPassage[] = [];
  for (const passage of passages) {
    await giveWay();
    const share = (met: Met): number => shareOf(met, findings.weights);
    const around = neighboursOf(passage, passages).map(({ met }) => met);
    const own = withShareOf(passage.titleMet, TITLE_SHARE, passage.met);
    const near = withShareOf(bestMet(around, findings.weights.length), NEIGHBOUR_SHARE, own);
    const features = {
      bm25: bm25Of(passage, findings),
      own: share(own),
      near: share(near),
      sentence: Math.max(0, ...passage.sentences.map(({ met }) => share(met))),
      two: Math.max(0, ...twoByTwo(passage).map(share)),
      pairs: Math.min(MOST_PAIRS, Math.max(0, ...passage.sentences.map(({ pairs }) => pairs))),
      names: shareOf(passage.met, names),
    };
    ranked.push({ ...passage, score: logOdds(CALIBRATION.ranking, features), features });
  }
  return ranked.sort((a, b) => b.score - a.score);
}

function withShareOf(other: Met, share: number, met: Met): number[] {
  return met.map((likeness, term) => Math.max(likeness, share * (other[term] ?? 0)));
}

/** BM25 over the weight of all terms. */
function bm25Of({ occurrences, candidate }: ReadPassage, { weights, averageWords }: Findings): number {
  const length = 1 - B + (B * candidate.wordCount) / Math.max(averageWords, 1);
  const saturated = occurrences.map((count) => (count * (K1 + 1)) / (count + K1 * length));
  return shareOf(saturated, weights);
}

/** What every two neighbouring sentences meet together. */
function twoByTwo({ sentences, met }: ReadPassage): Met[] {
  return sentences.map((sentence, index) =>
    bestMet([sentence.met, sentences[index + 1]?.met ?? []], met.length),
  );
}

function neighboursOf({ candidate }: ReadPassage, passages: readonly ReadPassage[]): ReadPassage[] {
  return passages.filter(({ candidate: other }) => {
    if (other === candidate || other.documentRef !== candidate.documentRef) return false;
    return Math.abs(other.ordinal - candidate.ordinal) <= NEIGHBOURHOOD;
  });
}
