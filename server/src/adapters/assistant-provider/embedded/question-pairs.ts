import { folded, wordsOf } from './words.ts';

/** A pair that a question was found to ask for. */
export interface PairMatch {
  question: string;
  answer: string;
  /** 1 is the same question. */
  score: number;
}

/** An index over a revision's question/answer pairs. */
export interface PairIndex {
  best(question: string): PairMatch | null;
}

/** Cosine from which on a question is taken for that of a pair. */
const LEAST_LIKENESS = 0.5;

type Vector = Map<string, number>;

/** Builds the index: TF-IDF over words and letter groups, compared by cosine. */
export function createPairIndex(pairs: readonly { question: string; answer: string }[]): PairIndex {
  const counted = pairs.map(({ question }) => featuresOf(question));
  const frequencies = new Map<string, number>();
  for (const features of counted) {
    for (const name of features.keys()) frequencies.set(name, (frequencies.get(name) ?? 0) + 1);
  }
  const vectors = counted.map((features) => normalised(features, frequencies, pairs.length));
  const exact = new Map(pairs.map((pair) => [normalisedQuestion(pair.question), pair]));
  return {
    best(question) {
      const same = exact.get(normalisedQuestion(question));
      if (same !== undefined) return { ...same, score: 1 };
      const asked = normalised(featuresOf(question), frequencies, pairs.length);
      let best: PairMatch | null = null;
      for (const [index, vector] of vectors.entries()) {
        const score = cosine(asked, vector);
        const pair = pairs[index];
        if (pair !== undefined && score > (best?.score ?? 0)) best = { ...pair, score };
      }
      return best !== null && best.score >= LEAST_LIKENESS ? best : null;
    },
  };
}

function normalisedQuestion(question: string): string {
  return wordsOf(question)
    .map(({ form }) => folded(form))
    .join(' ');
}

/** Words, and groups of three and four letters within them: these see through inflection, compounds and typing errors. */
function featuresOf(question: string): Vector {
  const features: Vector = new Map();
  const count = (name: string, by: number): void => void features.set(name, (features.get(name) ?? 0) + by);
  for (const { form } of wordsOf(question)) {
    const word = folded(form);
    count(word, 1);
    const edged = `<${word}>`;
    for (const size of [3, 4]) {
      for (let at = 0; at + size <= edged.length; at += 1)
        count(`${size}:${edged.slice(at, at + size)}`, 0.3);
    }
  }
  return features;
}

function normalised(features: Vector, frequencies: ReadonlyMap<string, number>, pairs: number): Vector {
  const weighted: Vector = new Map();
  let square = 0;
  for (const [name, count] of features) {
    const weight = Math.sqrt(count) * Math.log(1 + (pairs + 1) / ((frequencies.get(name) ?? 0) + 0.5));
    weighted.set(name, weight);
    square += weight * weight;
  }
  const length = Math.sqrt(square) || 1;
  for (const [name, weight] of weighted) weighted.set(name, weight / length);
  return weighted;
}

function cosine(a: Vector, b: Vector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let product = 0;
  for (const [name, weight] of small) product += weight * (large.get(name) ?? 0);
  return product;
}
