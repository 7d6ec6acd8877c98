import { CALIBRATION } from './calibration.ts';
import type { RankedPassage } from './passage-ranking.ts';
import type { Findings } from './passage-search.ts';
import { logistic } from './sentence-chances.ts';

/** What tells whether the documents answer a question at all; each 0..1 whatever the number of passages. */
export type ConfidenceFeatures = Record<keyof typeof CALIBRATION.confidence.weights, number>;

/** The features of a question and what was found for it. */
export function confidenceFeatures(
  findings: Findings,
  ranking: readonly RankedPassage[],
): ConfidenceFeatures {
  const [top] = ranking;
  const { weights, query } = findings;
  const weight = Math.max(
    weights.reduce((total, each) => total + each, 0),
    Number.EPSILON,
  );
  const met = weights.map((_, term) =>
    Math.max(0, ...(top?.sentences ?? []).map((sentence) => sentence.met[term] ?? 0)),
  );
  const specific = query.terms.flatMap((term, index) => (term.specific ? [index] : []));
  const specificMet = specific.reduce((total, index) => total + (met[index] ?? 0), 0);
  const unknown = weights.reduce(
    (total, each, index) => total + (findings.frequencies[index] === 0 && (met[index] ?? 0) === 0 ? each : 0),
    0,
  );
  return {
    own: top?.own ?? 0,
    near: top?.near ?? 0,
    sentence: top?.sentence ?? 0,
    specific: specific.length === 0 ? 0 : specificMet / specific.length - 0.5,
    unknown: unknown / weight,
  };
}

/** The chance, 0..1, that the best passages answer the question. */
export function confidenceOf(findings: Findings, ranking: readonly RankedPassage[]): number {
  return ranking.length === 0 ? 0 : logistic(CALIBRATION.confidence, confidenceFeatures(findings, ranking));
}
