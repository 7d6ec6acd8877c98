import { APICallError } from '@ai-sdk/provider';
import { ProviderError } from '../assistant-provider/assistant-provider.ts';
import { createModelError } from './model-errors.ts';

export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!APICallError.isInstance(error))
    return new ProviderError('transient', messageOf(error), { cause: error });
  const { statusCode: status, responseBody = '', responseHeaders, message } = error;
  const retryAfter = responseHeaders?.['retry-after'] ?? null;
  return createModelError({ status, message, text: `${message} ${responseBody}`, retryAfter, cause: error });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
