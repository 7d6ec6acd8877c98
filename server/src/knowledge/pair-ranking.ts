import { calibration, probability } from './calibration.ts';
import { invertRidge } from './ridge.ts';
import type { YieldControl } from './time-slices.ts';

interface RankedPair {
  index: number;
  /** That the pair answers the question. */
  probability: number;
}

/** Returns the best pairs, one for each answer, best first. */
type Rank = (similarities: Float32Array, limit: number) => RankedPair[];

/** Raises the score of a pair with little support, whose prediction is lower. */
const loneBonus = 0.6;
/** The mean similarity of two pairs is computed as if there were this many more comparisons with this result. */
const priorComparisons = 30;
const priorSimilarity = 0.035;
const nearbyPairs = 3;

/**
 * Fits a kernel ridge regression that predicts which pair a question asks for. Words that distinguish a pair from the
 * others therefore count more than words that are only rare. `kernel` holds the similarities of the pairs to each other and
 * is overwritten; `answers` are those of the pairs. Returns a function that ranks the pairs by a question's similarities to
 * them.
 */
export async function createRanking(
  answers: readonly string[],
  kernel: Float32Array[],
  yieldControl: YieldControl,
): Promise<Rank> {
  const inverse = await invertRidge(kernel, yieldControl);
  const narrowness = logMeanSimilarity(kernel);
  const support = toSupport(kernel, answers);
  const totalSupport = support.map((row) => row.reduce((sum, each) => sum + each, 0));
  const model = { answers, inverse, support, totalSupport, narrowness };
  return (similarities, limit) => rankPairs(model, similarities, limit);
}

interface Model {
  answers: readonly string[];
  /** Turns similarities to the pairs into predictions (`ridge.ts`). */
  inverse: readonly Float64Array[];
  /** How much each pair supports each other: 1 with the same answer, else their similarity. */
  support: readonly Float32Array[];
  /** The sum of each row of `support`. */
  totalSupport: readonly number[];
  /** Higher for a bot with a single subject. */
  narrowness: number;
}

function rankPairs(model: Model, similarities: Float32Array, limit: number): RankedPair[] {
  const { answers, support, totalSupport, narrowness } = model;
  const scores = scorePairs(model, similarities);
  const scoreOf = (index: number) => scores[index] ?? 0;
  const similarityOf = (index: number) => similarities[index] ?? 0;
  const bySimilarity = [...answers.keys()].sort((a, b) => similarityOf(b) - similarityOf(a));
  const byScore = [...answers.keys()].sort(
    (a, b) => scoreOf(b) - scoreOf(a) || similarityOf(b) - similarityOf(a),
  );
  const nearby =
    bySimilarity.slice(0, nearbyPairs).reduce((sum, index) => sum + similarityOf(index), 0) / nearbyPairs;
  const found: RankedPair[] = [];
  for (const index of byScore) {
    if (found.length === limit) break;
    if (found.some((better) => answers[better.index] === answers[index])) continue;
    // The more another pair supports this one, the less it counts as a rival.
    const rivals = scores.map((score, other) => score * (1 - (support[index]?.[other] ?? 0)));
    const nearest = bySimilarity.find((other) => answers[other] === answers[index]) ?? index;
    const features = {
      score: scoreOf(index),
      margin: scoreOf(index) - Math.max(0, ...rivals),
      supporters: Math.log(totalSupport[index] ?? 1),
      nearest: similarityOf(nearest),
      nearby,
      narrowness,
    };
    found.push({ index, probability: probability(calibration.pair, features) });
  }
  return found;
}

/** A pair's score is the sum of the predictions of the pairs that support it, itself included. */
function scorePairs({ inverse, support, totalSupport }: Model, similarities: Float32Array): number[] {
  const predictions = multiply(similarities, inverse);
  return support.map((row, index) => dot(row, predictions) * (1 + loneBonus / (totalSupport[index] ?? 1)));
}

function logMeanSimilarity(kernel: readonly Float32Array[]): number {
  let sum = priorComparisons * priorSimilarity;
  for (const [index, row] of kernel.entries())
    for (const [other, similarity] of row.entries()) if (other !== index) sum += similarity;
  return Math.log(sum / (priorComparisons + kernel.length * (kernel.length - 1)));
}

/** Changes `kernel` itself, which is large. */
function toSupport(kernel: Float32Array[], answers: readonly string[]): Float32Array[] {
  for (const sameAnswer of Map.groupBy(answers.keys(), (index) => answers[index]).values())
    for (const a of sameAnswer) for (const b of sameAnswer) (kernel[a] ?? [])[b] = 1;
  return kernel;
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
