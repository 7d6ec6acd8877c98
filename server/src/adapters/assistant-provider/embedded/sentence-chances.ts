import { CALIBRATION } from './calibration.ts';
import type { RankedPassage } from './passage-ranking.ts';
import type { Findings } from './passage-search.ts';

/** A sentence of a ranked passage with its chance of holding the answer. */
export interface SentenceChance {
  /** Places in the ranking and in the passage. */
  rank: number;
  index: number;
  length: number;
  chance: number;
}

/** Ranked passages whose sentences may be quoted. */
const QUOTABLE = 6;

/** What tells whether a sentence holds the answer; each about 0..1. */
export type SentenceFeatures = Record<keyof typeof CALIBRATION.sentence.weights, number>;

/** The features of every quotable sentence, in the order of ranking and reading. */
export function sentenceFeatures(
  findings: Findings,
  ranking: readonly RankedPassage[],
): { rank: number; index: number; length: number; features: SentenceFeatures }[] {
  const weight = Math.max(
    findings.weights.reduce((total, each) => total + each, 0),
    Number.EPSILON,
  );
  const share = (met: readonly number[] | undefined): number =>
    (met ?? []).reduce((total, each, term) => total + each * (findings.weights[term] ?? 0), 0) / weight;
  const top = Math.max(ranking[0]?.score ?? 0, Number.EPSILON);
  const { wanted } = findings.query;
  return ranking.slice(0, QUOTABLE).flatMap((passage, rank) =>
    passage.sentences.map((sentence, index) => {
      const met = share(sentence.met);
      return {
        rank,
        index,
        length: sentence.end - sentence.start,
        features: {
          passage: passage.score / top,
          rank: Math.log1p(rank),
          met,
          before: share(passage.sentences[index - 1]?.met),
          after: share(passage.sentences[index + 1]?.met),
          number: wanted === 'number' ? (sentence.hasNumber ? 1 : -1) : 0,
          name: wanted === 'name' ? (sentence.newNames > 0 ? 1 : -1) : 0,
          length: (sentence.end - sentence.start) / 150,
          pairs: Math.min(sentence.pairs, 3),
          best: met >= passage.sentence ? 1 : 0,
        },
      };
    }),
  );
}

/** The chance of every quotable sentence. */
export function sentenceChances(findings: Findings, ranking: readonly RankedPassage[]): SentenceChance[] {
  return sentenceFeatures(findings, ranking).map(({ features, ...place }) => ({
    ...place,
    chance: logistic(CALIBRATION.sentence, features),
  }));
}

/** The logistic model: a chance, 0..1, from features and their weights. */
export function logistic<Name extends string>(
  model: { readonly bias: number; readonly weights: Readonly<Record<Name, number>> },
  features: Readonly<Record<Name, number>>,
): number {
  let logOdds = model.bias;
  for (const name in features) logOdds += model.weights[name] * features[name];
  return 1 / (1 + Math.exp(-logOdds));
}
