import { decodeText } from './decode.ts';
import { letterPairs } from './letter-pairs.ts';

type Language = keyof typeof letterPairs;

export interface Guess {
  encoding: string;
  /** Bits per pair of characters: the lower, the likelier. */
  bits: number;
}

const western: readonly Language[] = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'nl',
  'da',
  'sv',
  'nb',
  'fi',
  'is',
  'ca',
  'sq',
  'et',
  'cy',
];
const central: readonly Language[] = ['cs', 'sk', 'pl', 'hu', 'ro', 'hr', 'sl', 'sq', 'de'];
const cyrillic: readonly Language[] = ['ru', 'uk', 'be', 'bg', 'mk', 'sr'];
const baltic: readonly Language[] = ['lt', 'lv', 'et'];

/** With the cost of each encoding in bits: common ones are likelier before any evidence. */
const encodings: readonly [encoding: string, cost: number, languages: readonly Language[]][] = [
  ['windows-1252', 0, western],
  ['iso-8859-15', 8, western],
  ['macintosh', 14, western],
  ['ibm850', 14, western],
  ['ibm437', 16, western],
  ['windows-1250', 6, central],
  ['iso-8859-2', 8, central],
  ['iso-8859-16', 14, ['ro']],
  ['ibm852', 14, central],
  ['windows-1251', 6, cyrillic],
  ['koi8-r', 8, ['ru', 'bg']],
  ['koi8-u', 8.5, ['uk', 'be']],
  ['iso-8859-5', 10, cyrillic],
  ['ibm866', 10, ['ru', 'uk', 'be', 'bg']],
  ['ibm855', 14, cyrillic],
  ['x-mac-cyrillic', 12, cyrillic],
  ['windows-1253', 6, ['el']],
  ['iso-8859-7', 7, ['el']],
  ['windows-1254', 6, ['tr']],
  ['windows-1255', 6, ['he']],
  ['windows-1256', 6, ['ar', 'fa', 'ur']],
  ['iso-8859-6', 8, ['ar']],
  ['windows-1257', 6, baltic],
  ['iso-8859-13', 8, baltic],
  ['iso-8859-4', 16, baltic],
  ['windows-1258', 8, ['vi']],
  ['iso-8859-3', 12, ['mt', 'eo']],
  ['iso-8859-14', 14, ['cy']],
  ['windows-874', 6, ['th']],
];

/** Costs in bits of a pair of characters that a language model does not know. */
const costs = {
  rareLetters: 15,
  foreignLetter: 19,
  mixedScripts: 25,
  upperWithinWord: 6,
  punctuation: 7,
  sign: 10,
  misplaced: 16,
  symbol: 20,
};
/** How much the letters of ASCII may count against a language, per pair beyond ASCII. */
const maxAsciiBits = 4;
const asciiWeight = 0.8;
/** Bits for each pair of letters of ASCII in a language that does not use them. */
const foreignAsciiBits = 1;
const maxForeignAsciiBits = 2;

/** Characters other than letters that texts contain. Some begin words, some end them, and signs are not next to letters. */
const kinds: readonly [kind: Kind, characters: string][] = [
  ['opening', '¿¡„‚'],
  ['closing', '…”؟،؛'],
  ['joining', '’‘“«»‹›—–\u00a0\u200c\u200d'],
  ['sign', '·€£§°©®™•ªº№´±×÷¼½¾²³฿'],
];
type Kind = 'letter' | 'blank' | 'opening' | 'closing' | 'joining' | 'sign' | 'symbol';

const ascii = 128;

/** The most frequent pairs are enough evidence. */
const maxPairs = 400;

/** Numbers of pairs of neighbouring bytes. */
export interface BytePairs {
  beyondAscii: ReadonlyMap<number, number>;
  ascii: ReadonlyMap<number, number>;
}

export function countPairs(bytes: Uint8Array): BytePairs {
  const counts = new Uint32Array(65_536);
  let previous = 0x20;
  for (const byte of bytes) {
    const pair = previous * 256 + byte;
    counts[pair] = (counts[pair] ?? 0) + 1;
    previous = byte;
  }
  const pairs: [pair: number, count: number][] = [];
  for (const [pair, count] of counts.entries()) if (count > 0) pairs.push([pair, count]);
  pairs.sort((a, b) => b[1] - a[1]);
  const isAscii = ([pair]: readonly [number, number]): boolean => pair >> 8 < ascii && (pair & 0xff) < ascii;
  const isLetters = ([pair]: readonly [number, number]): boolean => pair >> 8 > 0x40 && (pair & 0xff) > 0x40;
  return {
    beyondAscii: new Map(pairs.filter((pair) => !isAscii(pair)).slice(0, maxPairs)),
    ascii: new Map(pairs.filter((pair) => isAscii(pair) && isLetters(pair)).slice(0, maxPairs)),
  };
}

/** Rates all encodings of one byte per character. */
export function rateSingleByteEncodings(pairs: BytePairs): Guess[] {
  const total = add(pairs.beyondAscii.values());
  const asciiTotal = add(pairs.ascii.values());
  const asciiBits = rateAscii(pairs);
  const least = Math.min(...asciiBits.values());
  return encodings.map(([encoding, cost, languages]) => {
    const characters = classify(encoding);
    const bits = languages.map((language) => {
      const model = getLanguageModel(language);
      let sum = 0;
      for (const [pair, count] of pairs.beyondAscii) sum += count * pairBits(characters, pair, model);
      const own = asciiBits.get(language);
      const excess =
        own === undefined
          ? Math.min(maxForeignAsciiBits, (foreignAsciiBits * asciiTotal) / total)
          : Math.min(maxAsciiBits, (asciiWeight * (own - least)) / total);
      return sum / total + excess;
    });
    return { encoding, bits: Math.min(...bits) + cost / total };
  });
}

const add = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

/** Rates the letters that all encodings share, for the languages that use them. */
function rateAscii(pairs: BytePairs): Map<Language, number> {
  const characters = classify('windows-1252');
  const rated = new Map<Language, number>();
  for (const language of new Set([...western, ...central, ...baltic, 'tr', 'vi', 'mt', 'eo'] as const)) {
    const model = getLanguageModel(language);
    let bits = 0;
    for (const [pair, count] of pairs.ascii) bits += count * pairBits(characters, pair, model);
    rated.set(language, bits);
  }
  return rated;
}

interface Character {
  kind: Kind;
  lower: string;
  isUpper: boolean;
  isLatin: boolean;
}

const classified = new Map<string, readonly Character[]>();

function classify(encoding: string): readonly Character[] {
  const known = classified.get(encoding);
  if (known !== undefined) return known;
  const characters = Array.from({ length: 256 }, (_, byte) =>
    toCharacter(byte < ascii ? String.fromCharCode(byte) : decodeText(Uint8Array.of(byte), encoding)),
  );
  classified.set(encoding, characters);
  return characters;
}

function toCharacter(character: string): Character {
  const kind = findKind(character);
  const lower = kind === 'letter' ? character.toLowerCase() : ' ';
  const isUpper = kind === 'letter' && lower !== character;
  return { kind, lower, isUpper, isLatin: /^\p{Script=Latin}$/u.test(character) };
}

function findKind(character: string): Kind {
  const found = kinds.find(([, characters]) => characters.includes(character));
  if (found !== undefined) return found[0];
  if (/^[\p{L}\p{M}]$/u.test(character)) return 'letter';
  return /^\p{ASCII}$/u.test(character) ? 'blank' : 'symbol';
}

function pairBits(characters: readonly Character[], pair: number, { bits, letters }: LanguageModel): number {
  const first = characters[pair >> 8];
  const second = characters[pair & 0xff];
  if (first === undefined || second === undefined) return costs.symbol;
  if (first.kind === 'symbol' || second.kind === 'symbol') return costs.symbol;
  const areLetters = first.kind === 'letter' && second.kind === 'letter';
  if (!areLetters && first.kind !== 'blank' && second.kind !== 'blank') return punctuationBits(first, second);
  if (first.kind === 'sign' || second.kind === 'sign') return costs.sign;
  if (!isLetterOrBlank(first) || !isLetterOrBlank(second)) return costs.punctuation;
  if (areLetters && first.isLatin !== second.isLatin) return costs.mixedScripts;
  const caseBits = areLetters && second.isUpper && !first.isUpper ? costs.upperWithinWord : 0;
  const known = bits.get(first.lower + second.lower);
  if (known !== undefined) return known + caseBits;
  const areKnown = letters.has(first.lower) && letters.has(second.lower);
  return (areKnown ? costs.rareLetters : costs.foreignLetter) + caseBits;
}

const isLetterOrBlank = ({ kind }: Character): boolean => kind === 'letter' || kind === 'blank';

/** Rates punctuation beside a letter or other punctuation. */
function punctuationBits(first: Character, second: Character): number {
  const isMisplaced =
    first.kind === 'sign' || second.kind === 'sign' || first.kind === 'closing' || second.kind === 'opening';
  return isMisplaced ? costs.misplaced : costs.punctuation;
}

/** How likely a text is in one language, in bits per pair of neighbouring characters. */
interface LanguageModel {
  /** The letters of the language. */
  letters: ReadonlySet<string>;
  /** Bits by pair of lower-case letters. A space stands for the beginning or end of a word. */
  bits: ReadonlyMap<string, number>;
}

/** The first level of `letterPairs`, in bits. */
const firstLevel = 3;

function createModel(levels: string): LanguageModel {
  const bits = new Map<string, number>();
  const letters = new Set<string>();
  for (const [index, pairs] of levels.split('|').entries()) {
    for (let at = 0; at < pairs.length; at += 2) {
      const pair = pairs.slice(at, at + 2);
      bits.set(pair, firstLevel + index);
      for (const letter of pair) letters.add(letter);
    }
  }
  return { letters, bits };
}

const models = new Map<string, LanguageModel>();

function getLanguageModel(language: keyof typeof letterPairs): LanguageModel {
  const model = models.get(language) ?? createModel(letterPairs[language]);
  models.set(language, model);
  return model;
}
