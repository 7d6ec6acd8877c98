/** Letters of a long word's beginning and end that stand in the index by themselves. */
const AFFIX_LENGTH = 5;
const LONG_WORD = 7;
/** A longer "word" is no word, and PostgreSQL refuses index entries over 2 KiB. */
const LONGEST_TERM = 60;

/**
 * The terms that a passage is found by: the stems of its words, and `beginning-` and `-ending` of the long ones, so
 * that compounds (`Staatsgebiet`, `Gebiet`), relatives and mistyped words come into view. Stop words have none.
 */
export function toIndexTerms(forms: readonly string[], stems: ReadonlyMap<string, string | null>): string[] {
  const terms = new Set<string>();
  for (const form of forms) {
    const stem = stems.get(form);
    if (typeof stem !== 'string') continue;
    terms.add(stem.slice(0, LONGEST_TERM));
    for (const affix of toAffixes(stem)) terms.add(affix);
  }
  return [...terms];
}

/** `beginning-` and `-ending` of a long stem. */
export function toAffixes(stem: string): string[] {
  if (stem.length < LONG_WORD) return [];
  return [`${stem.slice(0, AFFIX_LENGTH)}-`, `-${stem.slice(-AFFIX_LENGTH)}`];
}
