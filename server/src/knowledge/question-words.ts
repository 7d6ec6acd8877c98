import type { Language } from './languages.ts';
import lists from './word-lists.json' with { type: 'json' };

/** Words that ask, and are never part of the answer's subject. Most are no stop words of PostgreSQL. */
const questionWords = new Map(
  Object.entries(lists.questionWords).map(([language, words]) => [language, new Set(words.split(' '))]),
);

export const isQuestionWord = (language: Language, form: string): boolean =>
  questionWords.get(language)?.has(form) ?? false;
