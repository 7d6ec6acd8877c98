import type { Language } from './languages.ts';
import { isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { takeFirstAndLast } from './text-limits.ts';
import { foldDiacritics, splitWords } from './words.ts';

/** The weight of each feature of a question. A feature's first letter names its group. */
export type Features = Map<string, number>;

/** The groups of features and their shares of the similarity. */
const groupShares = {
  /** Word stems. */
  w: 1.5,
  /** Two neighbouring stems. */
  b: 0.35,
  /** Three or four neighbouring characters of a word. */
  c: 1,
};
type Group = keyof typeof groupShares;

const wordsAtEachEnd = 32;
/** Parts of stop words count less. */
const stopWordPartWeight = 0.6;
/** Rarity is computed as if the bot had this many more pairs, so that it is stable for few pairs. */
const priorPairs = 50;
/** Each stop word is assumed to occur in this share of the prior pairs. */
const priorStopWordShare = 0.3;

export interface ParsedQuestion {
  text: string;
  language: Language;
  features: Features;
  stopWords: ReadonlySet<string>;
}

interface QuestionParser {
  /** The languages of the pairs. */
  languages: readonly Language[];
  parse(question: string): Promise<ParsedQuestion>;
}

/** Parses questions in the languages of the pairs. */
export async function createQuestionParser(
  stemming: Stemming,
  pairs: readonly { question: string; answer: string }[],
): Promise<QuestionParser> {
  const texts = pairs.map(({ question, answer }) => formsOf(`${question}\n${answer}`));
  const detected = await Promise.all(texts.map((forms) => stemming.detectLanguages(forms)));
  const languages = [...new Set(detected.map(([language = 'simple']) => language))];
  return {
    languages,
    async parse(question) {
      const forms = takeFirstAndLast(formsOf(question), wordsAtEachEnd);
      const possible = await stemming.detectLanguages(forms);
      const language = possible.find((each) => languages.includes(each)) ?? languages[0] ?? 'simple';
      const stems = await stemming.stems(language, forms);
      const words = forms.map((form) => {
        const word = foldDiacritics(form);
        const stem = isQuestionWord(language, form) ? null : stems.get(form);
        return { word, stem: stem ?? word, isStopWord: typeof stem !== 'string' };
      });
      const stopWords = new Set(words.filter(({ isStopWord }) => isStopWord).map(({ word }) => word));
      return { text: question, language, features: toFeatures(words), stopWords };
    },
  };
}

function toFeatures(words: readonly { word: string; stem: string; isStopWord: boolean }[]): Features {
  const features: Features = new Map();
  for (const [index, { word, stem, isStopWord }] of words.entries()) {
    features.set(`w${stem}`, 1);
    const next = words[index + 1];
    if (next !== undefined) features.set(`b${stem} ${next.stem}`, 1);
    const edged = ` ${word} `;
    for (const length of [3, 4]) {
      for (let at = 0; at + length <= edged.length; at += 1) {
        const part = `c${edged.slice(at, at + length)}`;
        features.set(part, Math.max(features.get(part) ?? 0, isStopWord ? stopWordPartWeight : 1));
      }
    }
  }
  return features;
}

/**
 * Returns a function that weighs the features of a question by their rarity in `questions`, those of the pairs. The squares
 * of the weights sum to 1, divided among the groups by their shares.
 */
export function createWeighing(questions: readonly ParsedQuestion[]): (question: ParsedQuestion) => Features {
  const stopWordsOfPairs = new Set(questions.flatMap(({ stopWords }) => [...stopWords]));
  const rarityOf = createRarity(questions);
  return ({ features, stopWords }) => {
    const isStopWord = (word: string) => stopWords.has(word) || stopWordsOfPairs.has(word);
    const weighed: Features = new Map();
    const squares = { w: 0, b: 0, c: 0 };
    for (const [feature, value] of features) {
      const weight = value * rarityOf(feature, isStopWord);
      weighed.set(feature, weight);
      squares[groupOf(feature)] += weight ** 2;
    }
    const present = (['w', 'b', 'c'] as const).filter((group) => squares[group] > 0);
    const total = present.reduce((sum, group) => sum + groupShares[group], 0);
    for (const [feature, weight] of weighed) {
      const group = groupOf(feature);
      weighed.set(feature, weight * Math.sqrt(groupShares[group] / total / squares[group]));
    }
    return weighed;
  };
}

function createRarity(questions: readonly ParsedQuestion[]) {
  const frequencies = new Map<string, number>();
  for (const { features } of questions)
    for (const feature of features.keys()) frequencies.set(feature, (frequencies.get(feature) ?? 0) + 1);
  const total = questions.length + priorPairs + 1;
  return (feature: string, isStopWord: (word: string) => boolean): number => {
    const isStopWordFeature = groupOf(feature) === 'w' && isStopWord(feature.slice(1));
    const prior = isStopWordFeature ? priorStopWordShare * priorPairs : 0;
    return 1 + Math.log(total / ((frequencies.get(feature) ?? 0) + prior + 1));
  };
}

// Every feature starts with the letter of its group.
const groupOf = (feature: string) => feature.charAt(0) as Group;

const formsOf = (text: string): string[] => splitWords(text).map(({ form }) => form);

/** Returns the question without case, accents and punctuation. */
export function normalizeQuestion(question: string): string {
  return formsOf(question).map(foldDiacritics).join(' ');
}
