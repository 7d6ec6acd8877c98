import type { ReplyLanguage } from '../answering/canned-replies.ts';
import words from './consent-words.json' with { type: 'json' };

/** What a contact decides about messages that nobody asked for. */
export type ConsentWord = 'out' | 'in';

/** Phrases separated by commas. `polite` are words that may stand before or after a phrase. */
type Phrases = Record<'stop' | 'start' | 'polite', string>;

const longestDecision = 80;

/** Of the Latin, Cyrillic, Hebrew and Arabic scripts, whose letters mean the same without. Invisible characters, too. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\p{Cf}]/gu;

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
 * Returns what a message decides if each of its sentences is one of the phrases, apart from case, accents, punctuation, repetition and
 * polite words around it. A question decides nothing, and neither does a sentence that only contains a phrase: "stop, the bike does
 * not brake".
 */
export function readConsentWord(text: string): ConsentWord | null {
  if (text.length > longestDecision || /[?？¿؟]/.test(text)) return null;
  for (const language of languages) {
    const sentences = text.split(/[.!。！\n]+/).map((sentence) => readSentence(sentence, language));
    const [first, ...others] = new Set(sentences.filter((found) => found !== 'polite'));
    if (first !== undefined && first !== null && others.length === 0) return first;
  }
  return null;
}

function readSentence(
  sentence: string,
  { decisions, polite, isUnspaced }: Language,
): ConsentWord | 'polite' | null {
  for (let rest = normalize(sentence, isUnspaced); rest !== ''; ) {
    const decision = decisions.get(rest);
    if (decision !== undefined) return decision;
    const shorter = polite.includes(rest) ? '' : withoutRepetition(withoutPolite(rest, polite, isUnspaced));
    if (shorter === rest) return null;
    rest = shorter;
  }
  return 'polite';
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
    .replaceAll(accents, '')
    .replaceAll(/(?<=\bdon)['’ʼ](?=t\b)/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  const once = withoutRepetition(found);
  return isUnspaced ? once.replaceAll(' ', '') : once;
}

function withoutRepetition(text: string): string {
  const words = new Set(text.split(' '));
  return words.size === 1 ? ([...words][0] ?? '') : text;
}
