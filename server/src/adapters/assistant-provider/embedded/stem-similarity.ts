/** Letters two words must begin with to be taken for relatives. */
const MIN_SHARED_PREFIX = 4;
/** Letters of a word that is looked for inside a compound. */
const MIN_COMPOUND_PART = 5;
/** Below it, words are strangers. */
const MIN_SIMILARITY = 0.6;

/**
 * How much one stem can stand for another, 0..1: relatives (`independ`, `independent`), parts of compounds (`gebiet`,
 * `staatsgebiet`), typing errors. Numbers are equal or strangers.
 */
export function stemSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < MIN_SHARED_PREFIX) return 0;
  const similarity = wordSimilarity(short, long);
  // Most words are strangers: that is told sooner than that they are no numbers.
  return similarity > 0 && (isNumber(short) || isNumber(long)) ? 0 : similarity;
}

function wordSimilarity(short: string, long: string): number {
  const shared = sharedPrefixLength(short, long);
  if (shared >= MIN_SHARED_PREFIX) {
    const similarity = shared === short.length ? 0.55 + 0.4 * (shared / long.length) : shared / long.length;
    if (similarity >= MIN_SIMILARITY) return Math.min(similarity, 0.95);
  }
  if (short.length >= MIN_COMPOUND_PART && long.includes(short)) return 0.7;
  if (short.length >= 6 && long.length - short.length <= 1 && isOneEditAway(short, long)) return 0.85;
  return 0;
}

const isNumber = (stem: string): boolean => /^\p{N}/u.test(stem);

function sharedPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** One letter changed, missing or too many, or two neighbours exchanged. */
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
