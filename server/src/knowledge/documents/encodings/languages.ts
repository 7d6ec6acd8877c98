import { letterPairs } from './letter-pairs.ts';

/** How likely a text is in one language, in bits per pair of neighbouring characters. */
export interface LanguageModel {
  /** The letters of the language. */
  letters: ReadonlySet<string>;
  /** Bits by pair of lower-case letters. A space stands for the beginning or end of a word. */
  bits: ReadonlyMap<string, number>;
}

/** The first level of `letterPairs`, in bits. */
const firstLevel = 3;

function createModel(levels: string): LanguageModel {
  const bits = new Map<string, number>();
  const letters = new Set<string>();
  for (const [index, pairs] of levels.split('|').entries()) {
    for (let at = 0; at < pairs.length; at += 2) {
      const pair = pairs.slice(at, at + 2);
      bits.set(pair, firstLevel + index);
      for (const letter of pair) letters.add(letter);
    }
  }
  return { letters, bits };
}

const models = new Map<string, LanguageModel>();

export function getLanguageModel(language: keyof typeof letterPairs): LanguageModel {
  const model = models.get(language) ?? createModel(letterPairs[language]);
  models.set(language, model);
  return model;
}
