import { isDatabaseError } from '../../platform/database/connection-errors.ts';
import { operationFailed } from '../../platform/http/errors.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';

/**
 * Runs provider calls under one deadline. Throws `provider_unavailable` (500) on every failure, timeouts included, except errors of
 * the database: most providers keep everything there.
 */
export async function callProvider<Result>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await withDeadline(deadlineMs, work, signal);
  } catch (cause) {
    if (isDatabaseError(cause)) throw cause;
    throw operationFailed(
      'provider_unavailable',
      'The AI provider failed or timed out; nothing was changed',
      cause,
    );
  }
}
