import type { Language } from './languages.ts';
import { isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { foldDiacritics, splitForms } from './words.ts';

const partLength = 4;
/** Relative to a stem. */
const partWeight = 0.32;
const stopWordPartWeight = 0.19;
/** Rarity is computed as if the bot had this many more pairs, so that it is stable for few pairs. */
const priorPairs = 50;
/** Each stop word is assumed to occur in this many of the prior pairs. */
const priorPairsWithStopWord = 15;

export interface ParsedQuestion {
  text: string;
  language: Language;
  /** The stems of the words, and each four neighbouring characters of a word after `-`. */
  features: ReadonlyMap<string, Feature>;
}

interface Feature {
  /** Before rarity. */
  weight: number;
  priorPairs: number;
}

/** Parses a question in one of these languages, those of the pairs. */
export async function parseQuestion(
  stemming: Stemming,
  languages: readonly Language[],
  text: string,
): Promise<ParsedQuestion> {
  const forms = splitForms(text);
  const possible = await stemming.detectLanguages(forms);
  const language = possible.find((each) => languages.includes(each)) ?? languages[0] ?? 'simple';
  const known = await stemming.stems(language, forms);
  const features = new Map<string, Feature>();
  for (const form of forms) {
    const word = foldDiacritics(form);
    const stem = isQuestionWord(language, form) ? null : known.get(form);
    const isStopWord = typeof stem !== 'string';
    features.set(stem ?? word, { weight: 1, priorPairs: isStopWord ? priorPairsWithStopWord : 0 });
    for (const part of splitParts(word)) {
      const weight = Math.max(features.get(part)?.weight ?? 0, isStopWord ? stopWordPartWeight : partWeight);
      features.set(part, { weight, priorPairs: 0 });
    }
  }
  return { text, language, features };
}

function splitParts(word: string): string[] {
  const edged = [' ', ...word, ' '];
  const count = Math.max(0, edged.length - partLength + 1);
  return Array.from({ length: count }, (_, at) => `-${edged.slice(at, at + partLength).join('')}`);
}

/**
 * Returns a function that computes the similarities of a question to the given ones, each from 0 to 1. Features that are rare
 * in these weigh more.
 */
export function createComparison(
  questions: readonly ParsedQuestion[],
): (question: ParsedQuestion) => Float32Array {
  const known = Map.groupBy(
    questions.flatMap(({ features }) => [...features.keys()]),
    (feature) => feature,
  );
  const weigh = ({ features }: ParsedQuestion): [string, number][] => {
    const weights = [...features].map(([feature, { weight, priorPairs: prior }]) => {
      const frequency = (known.get(feature)?.length ?? 0) + prior;
      return [
        feature,
        weight * (1 + Math.log((questions.length + priorPairs + 1) / (frequency + 1))),
      ] as const;
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return weights.map(([feature, weight]) => [feature, weight / length]);
  };
  const weighed = questions.flatMap((question, index) =>
    weigh(question).map(([feature, weight]) => ({ feature, index, weight })),
  );
  const postings = Map.groupBy(weighed, ({ feature }) => feature);
  return (question) => {
    const similarities = new Float32Array(questions.length);
    for (const [feature, weight] of weigh(question))
      for (const other of postings.get(feature) ?? [])
        similarities[other.index] = (similarities[other.index] ?? 0) + weight * other.weight;
    return similarities;
  };
}

/** Returns the question without case, accents and punctuation. */
export function normalizeQuestion(question: string): string {
  return splitForms(question).map(foldDiacritics).join(' ');
}
