import { takeEnd, takeStart } from '../../platform/shared/cut-text.ts';

/**
 * Rises whenever texts get other terms, for example because `splitWords` changes. `indexing.jobs.ts` then indexes stored
 * documents again.
 */
export const indexVersion = 3;

const affixLength = 5;
const longWord = 7;

/**
 * Returns the index terms of a passage: the stems of its words, and `prefix-` and `-suffix` of long stems. The affixes
 * find compounds (`Staatsgebiet`, `Gebiet`), related and misspelled words. Stop words have no terms.
 */
export function toIndexTerms(forms: readonly string[], stems: ReadonlyMap<string, string | null>): string[] {
  const known = forms.flatMap((form) => stems.get(form) ?? []);
  return [...new Set(known.flatMap((stem) => [stem, ...toAffixes(stem)]))];
}

export function toAffixes(stem: string): string[] {
  if (stem.length < longWord) return [];
  return [`${takeStart(stem, affixLength)}-`, `-${takeEnd(stem, affixLength)}`];
}
