import type { Language } from './languages.ts';
import lists from './word-lists.json' with { type: 'json' };

/**
 * Words that ask, and are never part of the answer's subject. Most are no stop words of PostgreSQL. Those of `simple` are the
 * stop words of the languages without spaces.
 */
const readLists = (byLanguage: Record<string, string>) =>
  new Map(
    Object.entries(byLanguage).map(([language, words]) => [
      language,
      new Set(words.normalize('NFKC').split(' ')),
    ]),
  );
const questionWords = readLists(lists.questionWords);
const lightWords = readLists(lists.lightWords);

export const isQuestionWord = (language: Language, form: string): boolean =>
  questionWords.get(language)?.has(form) ?? false;

export const listQuestionWords = (language: Language): string[] =>
  language === 'simple' ? [] : [...(questionWords.get(language) ?? [])];

/** "Get" and "long" are seldom the subject of a question, and texts often say the same in other words. */
export const isLightWord = (language: Language, form: string): boolean =>
  lightWords.get(language)?.has(form) ?? false;
