import { CALIBRATION, chance, type Features } from './calibration.ts';
import type { MatchedSentence } from './passage-matching.ts';
import { MAX_PAIRS, type RankedPassage } from './passage-ranking.ts';
import type { SearchResult } from './passage-search.ts';
import { weightedShare } from './term-weights.ts';
import type { YieldControl } from './time-slices.ts';

export interface ScoredSentence {
  /** Index of the passage in the ranking, and of the sentence in the passage. */
  rank: number;
  index: number;
  /** Characters. */
  length: number;
  features: Features<typeof CALIBRATION.sentence>;
  /** Probability of containing the answer, 0..1. */
  chance: number;
}

const QUOTABLE_PASSAGES = 6;
const MAX_DISTANCE = 4;

export async function scoreSentences(
  searchResult: SearchResult,
  ranking: readonly RankedPassage[],
  yieldControl: YieldControl,
): Promise<ScoredSentence[]> {
  const topScore = ranking[0]?.score ?? 0;
  const sentences: ScoredSentence[] = [];
  for (const [rank, passage] of ranking.slice(0, QUOTABLE_PASSAGES).entries()) {
    await yieldControl();
    const ofPassage = { passage: passage.score - topScore, rank: Math.log1p(rank) };
    for (const [index, ofSentence] of sentenceFeatures(passage.sentences, searchResult).entries()) {
      const { start = 0, end = 0 } = passage.sentences[index] ?? {};
      const features = { ...ofPassage, ...ofSentence };
      const odds = chance(CALIBRATION.sentence, features);
      sentences.push({ rank, index, length: end - start, features, chance: odds });
    }
  }
  return sentences;
}

function sentenceFeatures(sentences: readonly MatchedSentence[], { weights, query }: SearchResult) {
  const shares = sentences.map(({ matches }) => weightedShare(matches, weights));
  const greatest = Math.max(0, ...shares);
  const best = shares.indexOf(greatest);
  const bestMatches = sentences[best]?.matches ?? [];
  return sentences.map((sentence, index) => ({
    met: shares[index] ?? 0,
    /** Match beyond the best sentence of the passage. */
    rest: weightedShare(
      sentence.matches.map((match, term) => Math.max(0, match - (bestMatches[term] ?? 0))),
      weights,
    ),
    before: shares[index - 1] ?? 0,
    after: shares[index + 1] ?? 0,
    distance: Math.min(MAX_DISTANCE, Math.abs(index - best)),
    number: query.wantsNumber ? (sentence.hasNumber ? 1 : -1) : 0,
    pairs: Math.min(MAX_PAIRS, sentence.pairs),
    best: shares[index] === greatest ? 1 : 0,
  }));
}
