import { replyLanguages } from '../answering/canned-replies.ts';
import words from './consent-words.json' with { type: 'json' };
import { createPhrases, readMeaning } from './phrases.ts';

/** What a contact decides about messages that nobody asked for. */
export type ConsentWord = 'out' | 'in';

const international = 'stop';

const languages = replyLanguages.map((language) => {
  const { stop, start } = words[language];
  return createPhrases(language, { in: start, out: `${international},${stop}` });
});

/** Returns what a message decides if it is nothing but one of the phrases. A question decides nothing. */
export function readConsentWord(text: string): ConsentWord | null {
  return /[?？¿؟]/.test(text) ? null : readMeaning(text, languages);
}
