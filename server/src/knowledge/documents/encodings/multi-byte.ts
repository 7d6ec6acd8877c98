import { decodeText } from './decode.ts';
import { frequentCharacters } from './letter-pairs.ts';
import type { Guess } from './single-byte.ts';

interface Script {
  /** Frequent characters, the most frequent first. */
  frequent: string;
  /** An encoding whose first rows contain the common characters. */
  common: { encoding: string; firstRow: number; lastRow: number; firstCell: number };
  usesKana: boolean;
}

const japanese: Script = {
  frequent: frequentCharacters.ja,
  common: { encoding: 'euc-jp', firstRow: 0xb0, lastRow: 0xcf, firstCell: 0xa1 },
  usesKana: true,
};
const korean: Script = {
  frequent: frequentCharacters.ko,
  common: { encoding: 'euc-kr', firstRow: 0xb0, lastRow: 0xc8, firstCell: 0xa1 },
  usesKana: false,
};
const simplified: Script = {
  frequent: frequentCharacters.zhHans,
  common: { encoding: 'gb18030', firstRow: 0xb0, lastRow: 0xd7, firstCell: 0xa1 },
  usesKana: false,
};
const traditional: Script = {
  frequent: frequentCharacters.zhHant,
  common: { encoding: 'big5', firstRow: 0xa4, lastRow: 0xc6, firstCell: 0x40 },
  usesKana: false,
};

const encodings: readonly [encoding: string, cost: number, script: Script][] = [
  ['shift_jis', 6, japanese],
  ['euc-jp', 6, japanese],
  ['euc-kr', 6, korean],
  ['johab', 12, korean],
  ['gb18030', 6, simplified],
  ['big5', 6, traditional],
];

/** Costs in bits of a character. The first two are for characters that are frequent in the language. */
const costs = {
  mostFrequent: 6,
  frequent: 8,
  kana: 5,
  punctuation: 6,
  common: 10.5,
  fullWidth: 9,
  symbol: 12,
  rare: 18,
  halfWidth: 14,
  invalid: 40,
  besideAsciiLetter: 5,
};
const mostFrequentCount = 100;

/** Rates the encodings of East Asia. */
export function rateMultiByteEncodings(bytes: Uint8Array): Guess[] {
  return encodings.map(([encoding, cost, script]) => {
    const bitsOf = getCharacterBits(script);
    let bits = cost;
    let count = 0;
    let wasAsciiLetter = false;
    let wasWide = false;
    for (const character of decodeText(bytes, encoding)) {
      const isWide = character > '\u007f';
      const isAsciiLetter = !isWide && character > '@';
      if (isWide) {
        bits += bitsOf(character);
        count += 1;
      }
      if ((isWide && wasAsciiLetter) || (wasWide && isAsciiLetter)) bits += costs.besideAsciiLetter;
      wasAsciiLetter = isAsciiLetter;
      wasWide = isWide;
    }
    return { encoding, bits: count === 0 ? Number.POSITIVE_INFINITY : bits / count };
  });
}

const characterBits = new Map<Script, Map<string, number>>();

function getCharacterBits(script: Script): (character: string) => number {
  const known = characterBits.get(script) ?? listCharacters(script);
  characterBits.set(script, known);
  return (character) => {
    const bits = known.get(character) ?? otherBits(character, script);
    known.set(character, bits);
    return bits;
  };
}

function listCharacters({ frequent, common }: Script): Map<string, number> {
  const bits = new Map<string, number>();
  for (let row = common.firstRow; row <= common.lastRow; row += 1) {
    for (let cell = common.firstCell; cell <= 0xfe; cell += 1) {
      const character = decodeText(Uint8Array.of(row, cell), common.encoding);
      if ([...character].length === 1 && character !== '\ufffd') bits.set(character, costs.common);
    }
  }
  for (const [rank, character] of [...frequent].entries())
    bits.set(character, rank < mostFrequentCount ? costs.mostFrequent : costs.frequent);
  return bits;
}

function otherBits(character: string, { usesKana }: Script): number {
  if (character === '\ufffd') return costs.invalid;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(character) && character < '\uff00')
    return usesKana ? costs.kana : costs.rare;
  if (/[\u3000-\u301f！-／：-？“”‘’…·・ー～]/u.test(character)) return costs.punctuation;
  if (/[０-９Ａ-Ｚａ-ｚ]/u.test(character)) return costs.fullWidth;
  if (/[\u2000-\u27ff]/.test(character)) return costs.symbol;
  return /[\uff61-\uff9f]/.test(character) ? costs.halfWidth : costs.rare;
}
