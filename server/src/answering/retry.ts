const maxAttempts = 40;
/** From this failure on, the conversation is flagged `provider_failed`. */
export const flagAfterAttempts = 5;
const longestPauseSeconds = 600;

/** Returns the delay before the next attempt, or null after the last. `retryAfter`: seconds that the provider requested. */
export function getRetry(
  attempts: number,
  retryAfter: number | null,
  random: () => number = Math.random,
): { seconds: number; flag: 'provider_failed' | null } | null {
  if (attempts >= maxAttempts) return null;
  const doubled = Math.min(2 ** attempts, longestPauseSeconds);
  // Jitter, so that conversations that failed together are not retried together.
  const spread = doubled * (0.5 + random() / 2);
  const asked = Math.min(retryAfter ?? 0, longestPauseSeconds);
  return { seconds: Math.max(spread, asked), flag: attempts >= flagAfterAttempts ? 'provider_failed' : null };
}
