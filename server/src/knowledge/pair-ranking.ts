import { type calibration, probability } from './calibration.ts';
import { invertRidge } from './ridge.ts';
import type { YieldControl } from './time-slices.ts';

interface RankedPair {
  index: number;
  /** That the pair answers the question. */
  probability: number;
}

/** Returns the best pairs, one for each answer, best first. */
type Rank = (similarities: Float32Array, limit: number) => RankedPair[];

/**
 * Fits a kernel ridge regression that predicts which pair a question asks for. Words that distinguish a pair from the
 * others therefore count more than words that are only rare. `kernel` holds the similarities of the pairs to each other;
 * `answers` are those of the pairs. Returns a function that ranks the pairs by a question's similarities to them. `model` was
 * fitted to similarities of this kind.
 */
export async function createRanking(
  answers: readonly string[],
  kernel: readonly Float32Array[],
  model: typeof calibration.pair,
  yieldControl: YieldControl,
): Promise<Rank> {
  const inverse = await invertRidge(kernel, model.ridge, yieldControl);
  const support = toSupport(kernel, answers);
  const totalSupport = support.map((row) => row.reduce((sum, each) => sum + each, 0));
  return (similarities, limit) => {
    const similarityOf = (index: number) => similarities[index] ?? 0;
    // A pair's score is the sum of the predictions of the pairs that support it, itself included.
    const predictions = multiply(similarities, inverse);
    const scores = support.map((row) => dot(row, predictions));
    const scoreOf = (index: number) => scores[index] ?? 0;
    const best = [...answers.keys()].sort(
      (a, b) => scoreOf(b) - scoreOf(a) || similarityOf(b) - similarityOf(a),
    );
    const ranked = new Map(best.toReversed().map((index) => [answers[index], index]));
    return best
      .filter((index) => ranked.get(answers[index]) === index)
      .slice(0, limit)
      .map((index) => {
        // The more another pair supports this one, the less it counts as a rival.
        const rivals = scores.map((score, other) => score * (1 - (support[index]?.[other] ?? 0)));
        const features = {
          score: scoreOf(index),
          margin: scoreOf(index) - Math.max(0, ...rivals),
          nearest: Math.max(...best.filter((other) => answers[other] === answers[index]).map(similarityOf)),
          // The prediction for a pair that stands alone is lower.
          supporters: Math.log(totalSupport[index] ?? 1),
          // More pairs have more in common with a question by chance.
          pairs: Math.log(answers.length),
        };
        return { index, probability: probability(model, features) };
      });
  };
}

/** Returns how much each pair supports each other: 1 with the same answer, else their similarity. */
function toSupport(kernel: readonly Float32Array[], answers: readonly string[]): Float32Array[] {
  return kernel.map((row, index) => row.map((each, other) => (answers[other] === answers[index] ? 1 : each)));
}

function multiply(vector: Float32Array, matrix: readonly Float64Array[]): Float64Array {
  const product = new Float64Array(vector.length);
  for (const [row, factor] of vector.entries()) {
    const values = matrix[row];
    if (factor === 0 || values === undefined) continue;
    for (let column = 0; column < values.length; column += 1)
      product[column] = (product[column] ?? 0) + factor * (values[column] ?? 0);
  }
  return product;
}

function dot(a: Float32Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
