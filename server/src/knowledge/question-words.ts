import type { Language } from './languages.ts';
import lists from './word-lists.json' with { type: 'json' };

/** Function words of questions that are not stop words of PostgreSQL. */
const questionWords = new Map(
  Object.entries(lists.questionWords).map(([language, { asking, framing }]) => [
    language,
    { asking: new Set(asking.split(' ')), framing: new Set(framing.split(' ')) },
  ]),
);

/** Whether a word is an interrogative, which is never part of the answer's subject. */
export const isInterrogative = (language: Language, form: string): boolean =>
  questionWords.get(language)?.asking.has(form) ?? false;

export const isQuestionWord = (language: Language, form: string): boolean =>
  isInterrogative(language, form) || (questionWords.get(language)?.framing.has(form) ?? false);
