const [minute, hour] = [60, 3600];

/** Seconds before each retry. */
const delays: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
  24 * hour,
  24 * hour,
];

/** Returns the seconds until the next attempt, up to 10% more or less; null after the last one. */
export function retryDelay(failures: number, random: () => number = Math.random): number | null {
  const delay = delays[failures - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}
