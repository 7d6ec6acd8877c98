import { operationFailed } from '../http/errors.ts';
import { withDeadline } from '../shared/deadline.ts';

/**
 * Runs calls to the provider under one deadline. Whatever goes wrong is `provider_unavailable` (500), the deadline too;
 * `signal` ends them early.
 */
export async function callProvider<Result>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await withDeadline(deadlineMs, work, signal);
  } catch (cause) {
    throw operationFailed(
      'provider_unavailable',
      'The AI provider did not do its part; nothing was changed',
      cause,
    );
  }
}
