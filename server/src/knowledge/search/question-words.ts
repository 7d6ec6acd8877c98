import type { Language } from './languages.ts';
import lists from './word-lists.json' with { type: 'json' };

/**
 * Words that ask, and are never part of the answer's subject. Most are no stop words of PostgreSQL. Those of `simple` are the
 * stop words of the languages without spaces.
 */
const questionWords = new Map(
  Object.entries(lists.questionWords).map(([language, words]) => [
    language,
    new Set(words.normalize('NFKC').split(' ')),
  ]),
);

export const isQuestionWord = (language: Language, form: string): boolean =>
  questionWords.get(language)?.has(form) ?? false;
