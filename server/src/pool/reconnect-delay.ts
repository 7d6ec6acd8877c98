const firstMs = 250;
const longestMs = 60_000;

/** Doubling with every failure in a row, with half of it left to chance, so that devices do not come back all at once. */
export function reconnectDelayMs(failures: number, random: () => number = Math.random): number {
  const delay = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20));
  return delay * (0.5 + random() / 2);
}
