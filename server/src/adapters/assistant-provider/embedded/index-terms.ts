const AFFIX_LENGTH = 5;
const LONG_WORD = 7;
/** Longer tokens are truncated: PostgreSQL rejects index entries over 2 KiB. */
const LONGEST_TERM = 60;

/**
 * Returns the index terms of a passage: the stems of its words, and `prefix-` and `-suffix` of long stems. The affixes
 * find compounds (`Staatsgebiet`, `Gebiet`), related and misspelled words. Stop words have no terms.
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

export function toAffixes(stem: string): string[] {
  if (stem.length < LONG_WORD) return [];
  return [`${stem.slice(0, AFFIX_LENGTH)}-`, `-${stem.slice(-AFFIX_LENGTH)}`];
}
