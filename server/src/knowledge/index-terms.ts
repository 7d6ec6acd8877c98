const affixLength = 5;
const longWord = 7;
/** Longer tokens are truncated: PostgreSQL rejects index entries over 2 KiB. */
const longestTerm = 60;

/**
 * Returns the index terms of a passage: the stems of its words, and `prefix-` and `-suffix` of long stems. The affixes
 * find compounds (`Staatsgebiet`, `Gebiet`), related and misspelled words. Stop words have no terms.
 */
export function toIndexTerms(forms: readonly string[], stems: ReadonlyMap<string, string | null>): string[] {
  const terms = new Set<string>();
  for (const form of forms) {
    const stem = stems.get(form);
    if (typeof stem !== 'string') continue;
    terms.add(stem.slice(0, longestTerm));
    for (const affix of toAffixes(stem)) terms.add(affix);
  }
  return [...terms];
}

export function toAffixes(stem: string): string[] {
  if (stem.length < longWord) return [];
  return [`${stem.slice(0, affixLength)}-`, `-${stem.slice(-affixLength)}`];
}
