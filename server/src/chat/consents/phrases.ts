import type { ReplyLanguage } from '../answering/canned-replies.ts';
import words from './consent-words.json' with { type: 'json' };

/** Longer messages say more than a phrase. In characters. */
const longestMessage = 80;

/** Of the Latin, Cyrillic, Hebrew and Arabic scripts, whose letters mean the same without. Invisible characters, too. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\p{Cf}]/gu;

/** Languages without spaces between words. */
const unspaced: ReadonlySet<string> = new Set(['zh', 'ja', 'ko']);

/** Phrases of one language that are a whole message, and the polite words that may stand before or after them. */
export interface Phrases<Meaning> {
  meanings: ReadonlyMap<string, Meaning>;
  polite: readonly string[];
  space: '' | ' ';
}

/** Reads phrases that are separated by commas, by their meaning. `filler` are words that count as polite ones. */
export function createPhrases<Meaning extends string>(
  language: ReplyLanguage,
  phrases: Readonly<Record<Meaning, string>>,
  filler = '',
): Phrases<Meaning> {
  const entries = Object.entries<string>(phrases) as [Meaning, string][];
  return {
    meanings: new Map(
      entries.flatMap(([meaning, list]) =>
        readPhrases(list, language).map((phrase) => [phrase, meaning] as const),
      ),
    ),
    polite: readPhrases(`${words[language].polite},${filler}`, language).filter((phrase) => phrase !== ''),
    space: spaceOf(language),
  };
}

/** Returns the normalized phrases of a list that is separated by commas. */
const readPhrases = (list: string, language: ReplyLanguage): string[] =>
  list.split(',').map((phrase) => normalizePhrase(phrase, spaceOf(language)));

export const spaceOf = (language: ReplyLanguage): '' | ' ' => (unspaced.has(language) ? '' : ' ');

/**
 * Returns the meaning of a message if each of its sentences is a phrase of that meaning, apart from case, accents, punctuation,
 * repetition and polite words around it. A sentence that only contains a phrase means nothing: "stop, the bike does not brake".
 */
export function readMeaning<Meaning>(text: string, languages: readonly Phrases<Meaning>[]): Meaning | null {
  if (text.length > longestMessage) return null;
  for (const language of languages) {
    const sentences = text.split(/[.!。！\n]+/).map((sentence) => readSentence(sentence, language));
    const [first, ...others] = new Set(sentences.filter((found) => found !== 'polite'));
    if (first !== undefined && first !== null && others.length === 0) return first as Meaning;
  }
  return null;
}

function readSentence<Meaning>(
  sentence: string,
  { meanings, polite, space }: Phrases<Meaning>,
): Meaning | 'polite' | null {
  for (let rest = normalizePhrase(sentence, space); rest !== ''; ) {
    const meaning = meanings.get(rest);
    if (meaning !== undefined) return meaning;
    const shorter = polite.includes(rest) ? '' : withoutRepetition(withoutPolite(rest, polite, space));
    if (shorter === rest) return null;
    rest = shorter;
  }
  return 'polite';
}

function withoutPolite(text: string, polite: readonly string[], space: string): string {
  for (const word of polite) {
    if (text.startsWith(word + space)) return text.slice(word.length + space.length);
    if (text.endsWith(space + word)) return text.slice(0, -(word.length + space.length));
  }
  return text;
}

/** In lower case, without accents, punctuation and repetition ("STOP STOP", "stoooop"). */
export function normalizePhrase(text: string, space: string): string {
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
  return space === '' ? once.replaceAll(' ', '') : once;
}

function withoutRepetition(text: string): string {
  const words = new Set(text.split(' '));
  return words.size === 1 ? ([...words][0] ?? '') : text;
}
