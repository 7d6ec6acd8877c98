import { type Language, languageCodes } from '../../search/languages.ts';
import phrases from './phrases.json' with { type: 'json' };

/** Canned replies. `{}` is a placeholder. `topics` precedes examples of questions that the bot can answer. */
export type Phrases = typeof phrases.en;

const phrasesByLanguage: Partial<Record<string, Phrases>> = phrases;

/** Returns the phrases of the first language that has phrases. A language is a code such as `pt` or a tag such as `pt-BR`. */
export const selectPhrases = (languages: readonly string[]): Phrases =>
  languages.flatMap((language) => phrasesByLanguage[language.split('-')[0]?.toLowerCase() ?? ''] ?? [])[0] ??
  phrases.en;

export const toCodes = (languages: readonly Language[]): string[] =>
  languages.flatMap((language) => (language === 'simple' ? [] : languageCodes[language]));

export const listPhrases = (): Phrases[] => Object.values(phrases);

export const fillPhrase = (phrase: string, value: string): string => phrase.replace('{}', () => value);
