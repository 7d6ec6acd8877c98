import { minSketch, type SearchableDocument, sketchSize, versionShare } from './knowledge.queries.ts';
import { bestMatches, type MatchedPassage } from './passage-matching.ts';

/** Weaker matches of a word are no evidence for it. */
const certainMatch = 0.8;

/** Estimates the share of common words of two documents by their smallest hashes, in ascending order: 0..1. */
function estimateCommonShare(a: readonly number[], b: readonly number[]): number {
  let [inA, inB, common, size] = [0, 0, 0, 0];
  for (; size < sketchSize && (inA < a.length || inB < b.length); size += 1) {
    const [left = Infinity, right = Infinity] = [a[inA], b[inB]];
    if (left <= right) inA += 1;
    if (right <= left) inB += 1;
    if (left === right) common += 1;
  }
  return size === 0 ? 0 : common / size;
}

/** Leaves out documents with the same words and numbers as a newer one, so that each copy changes nothing. */
export function withoutCopies(documents: readonly SearchableDocument[]): SearchableDocument[] {
  const contentOf = ({ ref, termsDigest, passageCount }: SearchableDocument): string =>
    termsDigest === null ? ref : `${termsDigest} ${passageCount}`;
  const groups = Map.groupBy(documents, contentOf).values();
  const newest = new Set([...groups].map((copies) => copies.toSorted(compareAge).at(-1)));
  return documents.filter((document) => newest.has(document));
}

/** Returns the newer versions of each document that has some, by refs. */
function findNewerVersions(documents: readonly SearchableDocument[]): Map<string, Set<string>> {
  const newer = new Map<string, Set<string>>();
  const sorted = documents.filter(({ sketch }) => sketch.length >= minSketch).sort(compareAge);
  for (const [index, older] of sorted.entries()) {
    const versions = sorted
      .slice(index + 1)
      .filter(({ sketch }) => estimateCommonShare(older.sketch, sketch) >= versionShare);
    if (versions.length > 0) newer.set(older.ref, new Set(versions.map(({ ref }) => ref)));
  }
  return newer;
}

/**
 * Leaves out passages whose matches with the question a newer version of their document has, too. A passage that matches more
 * stays: documents of two branches may differ only in the name of the city.
 */
export function withoutOldVersions<Passage extends MatchedPassage>(
  passages: readonly Passage[],
  documents: readonly SearchableDocument[],
): Passage[] {
  const newerVersions = findNewerVersions(documents);
  if (newerVersions.size === 0) return [...passages];
  const read = ({ matches, titleMatches }: MatchedPassage) =>
    bestMatches([matches, titleMatches], matches.length);
  const newest = new Set([...newerVersions.values()].flatMap((refs) => [...refs]));
  const kept = passages.filter((passage) => {
    const newer = newerVersions.get(passage.candidate.documentRef);
    if (newer === undefined) return true;
    const rivals = passages.filter(({ candidate }) => newer.has(candidate.documentRef));
    const covered = bestMatches(rivals.map(read), passage.matches.length);
    return read(passage).some((match, term) => match >= certainMatch && (covered[term] ?? 0) < match);
  });
  return kept.map((passage) => {
    const { candidate } = passage;
    return newest.has(candidate.documentRef)
      ? { ...passage, candidate: { ...candidate, hasOldVersion: true } }
      : passage;
  });
}

const yearOf = ({ name }: SearchableDocument): string =>
  /(?<!\d)20\d\d(?:[-_. ]?[01]\d)?(?!\d)/.exec(name)?.[0] ?? '';

/** The date in the name decides, then the latest year in the text, then the time of the upload. */
function compareAge(a: SearchableDocument, b: SearchableDocument): number {
  const [inA, inB] = [yearOf(a), yearOf(b)];
  if (inA !== '' && inB !== '' && inA !== inB) return inA < inB ? -1 : 1;
  if (a.latestYear !== null && b.latestYear !== null && a.latestYear !== b.latestYear)
    return a.latestYear - b.latestYear;
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.ref < b.ref ? -1 : 1);
}
