import type { Language } from '../../../knowledge/languages.ts';
import phrases from './phrases.json' with { type: 'json' };

/** Canned replies. `{}` is a placeholder. `topics` precedes examples of questions that the bot can answer. */
export type Phrases = typeof phrases.english;

const phrasesByLanguage: Partial<Record<Language, Phrases>> = phrases;

/** Returns those of the first language that has any. */
export const selectPhrases = (languages: readonly Language[]): Phrases =>
  languages.flatMap((language) => phrasesByLanguage[language] ?? [])[0] ?? phrases.english;

export const listPhrases = (): Phrases[] => Object.values(phrases);

export const fillPhrase = (phrase: string, value: string): string => phrase.replace('{}', () => value);
