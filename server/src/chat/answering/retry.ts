/** They take about four hours. An answer that comes later helps no contact. */
const maxAttempts = 40;
/** From this failure on, the conversation has the flag `provider_failed`. */
export const flagAfterAttempts = 5;
const maxDelaySeconds = 600;

/** Returns null after the last attempt. `retryAfter` is the provider's request in seconds. */
export function getRetry(
  attempts: number,
  retryAfter: number | null,
  random: () => number = Math.random,
): { seconds: number; flag: 'provider_failed' | null } | null {
  if (attempts >= maxAttempts) return null;
  const backoff = Math.min(2 ** attempts, maxDelaySeconds);
  // Jitter, so that conversations that failed together are not retried together.
  const jittered = backoff * (0.5 + random() / 2);
  const requested = Math.min(retryAfter ?? 0, maxDelaySeconds);
  return {
    seconds: Math.max(jittered, requested),
    flag: attempts >= flagAfterAttempts ? 'provider_failed' : null,
  };
}
