export type MakeText = (length: number) => string;

/** Repeated parts that match common classes of characters. */
const commonPumps = [' ', '\t', '\n', 'a', 'A', '0', '.', '-', '_', 'a ', 'a.', '\u0001'];
const commonBeginnings = ['', 'a', 'a ', '0'];
/** At least one of them differs from the end that the expression expects. */
const ends = ['', '\u0001', ' a\n'];
const maxWords = 4;

/** Texts that repeat a part after a beginning. Both are common ones or literal characters of the pattern. */
export function makeAttacks(pattern: RegExp): MakeText[] {
  const words = literalWords(pattern);
  const beginnings = new Set([...commonBeginnings, ...words.flatMap((word) => [word, `${word} a`])]);
  // With the flag m, ^ also matches after these, and classes such as [^\n] contain the last two.
  const lines = pattern.multiline
    ? words.flatMap((word) => ['\n', '\r', '\u2028'].map((end) => word + end))
    : [];
  const pumps = new Set([...commonPumps, ...words, ...lines]);
  return [...beginnings].flatMap((beginning) =>
    [...pumps].flatMap((pump) =>
      ends.map(
        (end): MakeText =>
          (length) =>
            beginning + pump.repeat(length / pump.length) + end,
      ),
    ),
  );
}

/** Returns the first literal characters of the pattern, outside of its escapes and quantifiers. */
function literalWords({ source }: RegExp): string[] {
  const literal = source.replaceAll(/\\[pP]\{\w+\}|\\\W|\\\w|\{\d+,?\d*\}|\(\?<?[:=!]/g, ' ');
  const escaped = [...source.matchAll(/\\(\W)/g)].map(([, character = '']) => character);
  const words = literal.match(/[^\s()[\]{}|^$*+?.\\]+/g) ?? [];
  return [...new Set([...words.slice(0, maxWords), ...escaped.slice(0, maxWords)])];
}
