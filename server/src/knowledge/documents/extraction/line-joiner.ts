export interface LineJoiner {
  join(text: string, line: string): string;
}

/** Longer sequences of letters are not words. Without this limit, long lines take quadratic time. */
const maxWordLength = 100;
const hyphenated = /(\p{L}+)-$/u;
const continued = /^\p{Ll}+/u;
const endsWithoutSpace = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]$/u;
const startsWithoutSpace = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Joins lines. Removes a hyphen at a line's end unless the rest of the document suggests that the word has one. */
export function createLineJoiner(lines: readonly string[]): LineJoiner {
  const vocabulary = new Set<string>();
  for (const line of lines) {
    // The last word of a line may be half a word, and so may the first of the next.
    const whole = line.trim().split(/\s+/).slice(1, -1);
    for (const word of whole) {
      if (word.length > maxWordLength) continue;
      const bare = word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
      if (bare !== '') vocabulary.add(bare);
    }
  }
  const ownHyphen = (left: string, right: string): boolean => {
    const [first, second] = [left.toLowerCase(), right.toLowerCase()];
    if (vocabulary.has(first + second)) return false;
    return vocabulary.has(`${first}-${second}`) || (vocabulary.has(first) && vocabulary.has(second));
  };

  return {
    join(text, line) {
      const [before, after] = [text.trimEnd(), line.trimStart()];
      if (before.endsWith('\u00ad')) return before.slice(0, -1) + after;
      const left = hyphenated.exec(before.slice(-maxWordLength))?.[1];
      const right = continued.exec(after)?.[0];
      if (left !== undefined && right !== undefined) {
        return (ownHyphen(left, right) ? before : before.slice(0, -1)) + after;
      }
      const touching = endsWithoutSpace.test(before.slice(-2)) && startsWithoutSpace.test(after);
      return touching ? before + after : `${before} ${after}`;
    },
  };
}
