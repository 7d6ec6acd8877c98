import type { ReplyLanguage } from '../answering/canned-replies.ts';
import words from './consent-words.json' with { type: 'json' };

/** What a contact decides about messages that nobody asked for. */
export type ConsentWord = 'out' | 'in';

/** Phrases separated by commas. `polite` are words that may stand before or after a phrase. */
type Phrases = Record<'stop' | 'start' | 'polite', string>;

const longestDecision = 80;

/** Languages without spaces between words. */
const unspaced: ReadonlySet<string> = new Set(['zh', 'ja', 'ko']);

interface Language {
  decisions: ReadonlyMap<string, ConsentWord>;
  polite: readonly string[];
  isUnspaced: boolean;
}

const international = 'stop';

const languages: readonly Language[] = Object.entries<Phrases>(
  words satisfies Record<ReplyLanguage, Phrases>,
).map(([language, { stop, start, polite }]) => {
  const isUnspaced = unspaced.has(language);
  const read = (phrases: string) => phrases.split(',').map((phrase) => normalize(phrase, isUnspaced));
  return {
    decisions: new Map<string, ConsentWord>([
      ...read(start).map((phrase) => [phrase, 'in'] as const),
      ...read(`${international},${stop}`).map((phrase) => [phrase, 'out'] as const),
    ]),
    polite: read(polite),
    isUnspaced,
  };
});

/**
 * Returns what a message decides if all of it is one of the phrases, apart from case, accents, punctuation, repetition and
 * polite words around it. A question decides nothing, and neither does a sentence that only contains a phrase: "stop, the
 * bike does not brake".
 */
export function readConsentWord(text: string): ConsentWord | null {
  if (text.length > longestDecision || /[?？¿؟]/.test(text)) return null;
  for (const { decisions, polite, isUnspaced } of languages) {
    let rest = normalize(text, isUnspaced);
    for (;;) {
      const decision = decisions.get(rest);
      if (decision !== undefined) return decision;
      const shorter = withoutPolite(rest, polite, isUnspaced);
      if (shorter === rest) break;
      rest = shorter;
    }
  }
  return null;
}

function withoutPolite(text: string, polite: readonly string[], isUnspaced: boolean): string {
  const space = isUnspaced ? '' : ' ';
  for (const word of polite) {
    if (text.startsWith(word + space)) return text.slice(word.length + space.length);
    if (text.endsWith(space + word)) return text.slice(0, -(word.length + space.length));
  }
  return text;
}

/** In lower case, without accents, punctuation and repetition ("STOP STOP", "stoooop"). */
function normalize(text: string, isUnspaced: boolean): string {
  const found = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cf}ـ]/gu, '')
    .replaceAll(/(?<=\bdon)['’ʼ](?=t\b)/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const spaced = found.split(' ');
  if (new Set(spaced).size === 1) return spaced[0] ?? '';
  return isUnspaced ? spaced.join('') : found;
}
