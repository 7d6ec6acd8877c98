const minSharedPrefix = 4;
const minCompoundPart = 5;
const minSimilarity = 0.6;

/**
 * Returns the similarity of two stems, 0..1, for related words (`independ`, `independent`), parts of compounds
 * (`gebiet`, `staatsgebiet`) and typing errors. Different numbers are never similar.
 */
export function stemSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < minSharedPrefix || isNumber(short) || isNumber(long)) return 0;
  const shared = sharedPrefixLength(short, long);
  if (shared >= minSharedPrefix) {
    const similarity = shared === short.length ? 0.55 + 0.4 * (shared / long.length) : shared / long.length;
    if (similarity >= minSimilarity) return Math.min(similarity, 0.95);
  }
  if (short.length >= minCompoundPart && long.includes(short)) return 0.7;
  if (short.length >= 6 && long.length - short.length <= 1 && isOneEditAway(short, long)) return 0.85;
  return 0;
}

/** Faster than a pattern: digits precede `:`, and letters follow it. */
const isNumber = (stem: string): boolean => stem < ':';

function sharedPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** Whether one letter is changed, missing or added, or two neighbours are swapped. */
function isOneEditAway(short: string, long: string): boolean {
  const start = sharedPrefixLength(short, long);
  const restShort = short.slice(start);
  const restLong = long.slice(start);
  if (short.length < long.length) return restShort === restLong.slice(1);
  if (restShort.slice(1) === restLong.slice(1)) return true;
  return (
    restShort[0] === restLong[1] && restShort[1] === restLong[0] && restShort.slice(2) === restLong.slice(2)
  );
}
