/** Attempts that a conversation gets, over some four hours. */
const maxAttempts = 40;
/** From this failure on the partner sees that the provider fails. */
export const flagAfterAttempts = 5;
const longestPauseSeconds = 600;

/** When to try again after this many attempts; null when it is enough. `retryAfter`: seconds that the provider asks for. */
export function getRetry(
  attempts: number,
  retryAfter: number | null,
  random: () => number = Math.random,
): { seconds: number; flag: 'provider_failed' | null } | null {
  if (attempts >= maxAttempts) return null;
  const doubled = Math.min(2 ** attempts, longestPauseSeconds);
  // Spread, so that what failed together does not come back together.
  const spread = doubled * (0.5 + random() / 2);
  const asked = Math.min(retryAfter ?? 0, longestPauseSeconds);
  return { seconds: Math.max(spread, asked), flag: attempts >= flagAfterAttempts ? 'provider_failed' : null };
}
