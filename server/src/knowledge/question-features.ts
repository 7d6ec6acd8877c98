import type { Language } from './languages.ts';
import { isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { foldDiacritics, splitForms } from './words.ts';

/** The shares of the similarity. */
const stemShare = 2 / 3;
const partShare = 1 / 3;
const partLength = 4;

/** Parts of stop words count less. */
const stopWordPartWeight = 0.6;
/** Rarity is computed as if the bot had this many more pairs, so that it is stable for few pairs. */
const priorPairs = 50;
/** Each stop word is assumed to occur in this many of the prior pairs. */
const priorPairsWithStopWord = 15;

export interface ParsedQuestion {
  text: string;
  language: Language;
  /** Each stem, and whether it is a stop word. */
  stems: ReadonlyMap<string, boolean>;
  /** Each four neighbouring characters of a word, with their weight before rarity. Begins with `-`, unlike a stem. */
  parts: ReadonlyMap<string, number>;
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
  const stems = new Map<string, boolean>();
  const parts = new Map<string, number>();
  for (const form of forms) {
    const word = foldDiacritics(form);
    const stem = isQuestionWord(language, form) ? null : known.get(form);
    const isStopWord = typeof stem !== 'string';
    stems.set(stem ?? word, isStopWord);
    for (const part of splitParts(word))
      parts.set(part, Math.max(parts.get(part) ?? 0, isStopWord ? stopWordPartWeight : 1));
  }
  return { text, language, stems, parts };
}

function splitParts(word: string): string[] {
  const edged = ` ${word} `;
  const count = Math.max(0, edged.length - partLength + 1);
  return Array.from({ length: count }, (_, at) => `-${edged.slice(at, at + partLength)}`);
}

/**
 * Returns a function that computes the similarities of a question to the given ones, each from 0 to 1. Features that are rare
 * in these weigh more.
 */
export function createComparison(
  questions: readonly ParsedQuestion[],
): (question: ParsedQuestion) => Float32Array {
  const known = Map.groupBy(
    questions.flatMap(({ stems, parts }) => [...stems.keys(), ...parts.keys()]),
    (feature) => feature,
  );
  const total = questions.length + priorPairs + 1;
  const rarityOf = (feature: string, prior = 0) =>
    1 + Math.log(total / ((known.get(feature)?.length ?? 0) + prior + 1));
  const weigh = ({ stems, parts }: ParsedQuestion): [string, number][] => {
    const ofStems = [...stems].map(
      ([stem, isStopWord]) => [stem, rarityOf(stem, isStopWord ? priorPairsWithStopWord : 0)] as const,
    );
    const ofParts = [...parts].map(([part, weight]) => [part, weight * rarityOf(part)] as const);
    return [...scale(stemShare, ofStems), ...scale(partShare, ofParts)];
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

/** Makes the sum of the squared weights equal to `share`. */
function scale(share: number, weights: readonly (readonly [string, number])[]): [string, number][] {
  const factor = Math.sqrt(share) / Math.hypot(...weights.map(([, weight]) => weight));
  return weights.map(([feature, weight]) => [feature, factor * weight]);
}

/** Returns the question without case, accents and punctuation. */
export function normalizeQuestion(question: string): string {
  return splitForms(question).map(foldDiacritics).join(' ');
}
