import { calibration, probability } from './calibration.ts';
import type { YieldControl } from './time-slices.ts';
import { multiplyVectors } from './vectors.ts';

/** A question compared with those of the pairs. */
export interface Compared {
  /** The similarities by words. */
  similarities: Float32Array;
  /** Its meaning. Null if words alone decide. */
  vector: Float32Array | null;
}

/** Returns the best pairs, one for each answer, best first, with the probability that each answers the question. */
export type Rank = (asked: Compared, limit: number) => { index: number; probability: number }[];

/**
 * Fits a kernel ridge regression that predicts which pair a question asks for. Words that distinguish a pair from the
 * others therefore count more than words that are only rare. `answers` are those of the pairs, and `compared` their questions.
 */
export async function createRanking(
  answers: readonly string[],
  compared: readonly Compared[],
  yieldControl: YieldControl,
  /** Turns the cosine of two meanings into a similarity like those that the parameters were fitted on. */
  toSimilarity: (cosine: number) => number = (cosine) => cosine,
): Promise<Rank> {
  const vectors = compared.map(({ vector }) => vector);
  const model = vectors.every((vector) => vector === null) ? calibration.pair : calibration.pairByMeaning;
  const share = calibration.pairByMeaning.meaning;
  const addMeaning = ({ similarities, vector: asked }: Compared): Float32Array =>
    similarities.map((similarity, index) => {
      const vector = vectors[index] ?? null;
      if (asked === null || vector === null) return similarity;
      return (1 - share) * similarity + share * toSimilarity(multiplyVectors(asked, vector));
    });
  const kernel: Float32Array[] = [];
  for (const question of compared) {
    await yieldControl();
    kernel.push(addMeaning(question));
  }
  const inverse = await invertRidge(kernel, model.ridge, yieldControl);
  /** How much each pair supports each other: 1 with the same answer, else their similarity. */
  const support = kernel.map((row, index) =>
    row.map((each, other) => (answers[other] === answers[index] ? 1 : each)),
  );
  return (asked, limit) => {
    const similarities = addMeaning(asked);
    const similarityOf = (index: number) => similarities[index] ?? 0;
    // A pair's score is the sum of the predictions of the pairs that support it, itself included.
    const predictions = inverse.map((row) => multiplyVectors(row, similarities));
    const scores = support.map((row) => multiplyVectors(row, predictions));
    const scoreOf = (index: number) => scores[index] ?? 0;
    const best = [...answers.keys()].sort(
      (a, b) => scoreOf(b) - scoreOf(a) || similarityOf(b) - similarityOf(a),
    );
    const byAnswer = Map.groupBy(best, (index) => answers[index]);
    return [...byAnswer.values()].slice(0, limit).map((indexes) => {
      const [index = 0] = indexes;
      const supporters = [...(support[index] ?? [])];
      // The more another pair supports this one, the less it counts as a rival.
      const rivals = scores.map((score, other) => score * (1 - (supporters[other] ?? 0)));
      const features = {
        score: scoreOf(index),
        margin: scoreOf(index) - Math.max(0, ...rivals),
        nearest: Math.max(...indexes.map(similarityOf)),
        // The prediction for a pair that stands alone is lower.
        supporters: Math.log(supporters.reduce((sum, each) => sum + each, 0)),
        // More pairs have more in common with a question by chance.
        pairs: Math.log(answers.length),
      };
      return { index, probability: probability(model, features) };
    });
  };
}

/** The mean cosine of pairs and questions about something else, by the encoder that the parameters were fitted on. */
const fittedMean = 0.19;
const largestMean = 0.9;

/**
 * Returns a function for `createRanking` that fits it to another model. Some models give unrelated texts a cosine of 0.7, others
 * of 0.1. `others` are questions about something else, so that their mean similarity to the pairs becomes the fitted one.
 */
export function scaleCosines(
  pairs: readonly Float32Array[],
  others: readonly Float32Array[],
): (cosine: number) => number {
  const cosines = pairs.flatMap((pair) => others.map((other) => multiplyVectors(pair, other)));
  const mean = cosines.reduce((total, each) => total + each, 0) / Math.max(1, cosines.length);
  const stretch = (1 - fittedMean) / (1 - Math.min(mean, largestMean));
  return (cosine) => 1 - (1 - cosine) * stretch;
}

/** Inverts a positive semidefinite matrix plus `ridge` on its diagonal, by Gauss-Jordan elimination. */
async function invertRidge(
  matrix: readonly Float32Array[],
  ridge: number,
  yieldControl: YieldControl,
): Promise<Float64Array[]> {
  const rows = matrix.map((values, index) => {
    const row = Float64Array.from(values);
    row[index] = (row[index] ?? 0) + ridge;
    return row;
  });
  for (const [pivot, line] of rows.entries()) {
    await yieldControl();
    const divisor = line[pivot] ?? 1;
    line[pivot] = 1;
    for (let column = 0; column < line.length; column += 1) line[column] = (line[column] ?? 0) / divisor;
    for (const row of rows) {
      const factor = row[pivot] ?? 0;
      if (row === line || factor === 0) continue;
      row[pivot] = 0;
      for (let column = 0; column < row.length; column += 1)
        row[column] = (row[column] ?? 0) - factor * (line[column] ?? 0);
    }
  }
  return rows;
}
