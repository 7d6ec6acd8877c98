import { ApiError, badRequest, type InputIssue, operationFailed } from '../http/errors.ts';
import type { ValidInput } from '../http/validation/valid-input.ts';
import type { SendContext } from './accept.queries.ts';
import type { SendMessage } from './messages.schemas.ts';

/** What a schema cannot say of a message. An address that is faulty by itself is there, as undefined. */
export function sendIssues(input: ValidInput<SendMessage>): InputIssue[] {
  const { image_url: url, image_mime_type: type } = input;
  const issues: InputIssue[] = [];
  if (typeof url === 'string' && !URL.canParse(url))
    issues.push({ path: 'image_url', message: 'must be an http(s) URL' });
  const hasNoImage = url === null || !('image_url' in input);
  if (typeof type === 'string' && hasNoImage)
    issues.push({ path: 'image_mime_type', message: 'needs an image_url' });
  return issues;
}

/** What the month has left, as headers of 200 and 429. */
export const rateLimitHeaders = (limit: number, used: number): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, limit - used)),
  'x-ratelimit-used': String(used),
});

/** Why the device may not send now, in the order in which refusals are told; null when it may. */
export function findRefusal(facts: SendContext): ApiError | null {
  if (!facts.allowed) {
    return new ApiError(403, 'FEATURE_NOT_AVAILABLE', "Active messaging is not in the team's plan", {
      details: { reason: 'active_messaging_not_in_plan' },
    });
  }
  if (facts.banned) return badRequest('team_banned', 'The team is banned');
  if (!facts.ready) return badRequest('device_not_connected', 'The device must be started and connected');
  return facts.used >= facts.message_limit ? monthlyQuotaExceeded(facts) : null;
}

/** Others may have taken the last ones since `used` was read: what refuses is that none is left. */
export function monthlyQuotaExceeded({ quota, used, message_limit: limit }: SendContext): ApiError {
  const atLeast = Math.max(used, limit);
  return new ApiError(429, 'RATE_LIMIT_EXCEEDED', "The month's active messages are used up", {
    details: { reason: 'active_messages', quota, used: atLeast, limit },
    headers: rateLimitHeaders(limit, atLeast),
  });
}

/** The network refused the message for certain; its charge has been given back. */
export const refusedByNetwork = (failure: string | null): ApiError =>
  failure === 'recipient_unknown'
    ? badRequest('recipient_unknown', 'The number has no account on the network')
    : operationFailed('network_refused', 'The network refused the message');
