/** Returns the number of inserted, deleted, replaced or swapped characters that turn one text into the other. */
function distance(a: string, b: string): number {
  let [before, previous]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const [up = 0, left = 0, diagonal = 0] = [previous[j], row[j - 1], previous[j - 1]];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(up + 1, left + 1, diagonal + cost, swapped ? (before[j - 2] ?? 0) + 1 : Infinity));
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}

/** Returns the most similar candidate: one typing error away, or two in a name of more than 7 characters. */
export function findSimilar(given: string, candidates: readonly string[]): string | null {
  const allowed = given.length > 7 ? 2 : 1;
  const near = candidates
    .filter((candidate) => Math.abs(candidate.length - given.length) <= allowed)
    .map((candidate) => ({ candidate, edits: distance(given, candidate) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.candidate ?? null;
}
