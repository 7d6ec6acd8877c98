import { APICallError } from '@ai-sdk/provider';
import { ProviderError } from '../provider-error.ts';
import { createModelError } from './model-errors.ts';

/** `hasTools` says whether the request had tools, which may be why it failed. */
export function toProviderError(error: unknown, hasTools = false): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!APICallError.isInstance(error))
    return new ProviderError('transient', messageOf(error), { cause: error });
  const { statusCode: status, responseBody = '', responseHeaders, message } = error;
  const retryAfter = responseHeaders?.['retry-after'] ?? null;
  return createModelError({
    status,
    message,
    text: `${message} ${responseBody}`,
    retryAfter,
    hasTools,
    cause: error,
  });
}

/** With 500, llama.cpp reports what the chat template refuses. */
const refusals: readonly (number | undefined)[] = [400, 422, 500];

/** Returns what the server says about a request that it refuses; null for other failures. */
export function readRefusal(error: unknown): string | null {
  if (!APICallError.isInstance(error) || !refusals.includes(error.statusCode)) return null;
  return toProviderError(error).tooLongBy === null ? `${error.message} ${error.responseBody ?? ''}` : null;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
