import { ApiError, badRequest, type InputIssue, operationFailed } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';
import { startOfNextMonth } from '../../platform/shared/clock.ts';
import type { SendContext } from './accept.queries.ts';
import type { SendMessage } from './messages.schemas.ts';

/** Checks the rules that the schema cannot express. A URL that failed the schema is present as undefined. */
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

export const rateLimitHeaders = (limit: number, used: number): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, limit - used)),
  'x-ratelimit-used': String(used),
});

/** Returns the first reason why the device may not send now, or null. The order is part of the API. */
export function findRefusal(context: SendContext, now: Date, isRestricted = false): ApiError | null {
  if (!context.allowed) {
    return new ApiError(
      403,
      'FEATURE_NOT_AVAILABLE',
      "Active messaging is not in the team's plan; move the team to a plan that has it",
      {
        details: { reason: 'active_messaging_not_in_plan' },
      },
    );
  }
  if (context.banned) return badRequest('team_banned', 'The team is banned; lift the ban first');
  if (!context.ready && context.taken_over)
    return badRequest('device_not_connected', 'Another pool is taking the device over; retry soon', {
      retry_after: secondsOfTakeover,
    });
  if (!context.ready)
    return badRequest(
      'device_not_connected',
      'The device is not connected; connect it and wait until its status is connected',
    );
  if (context.opted_out) return recipientOptedOut();
  if (!context.initiates)
    return badRequest(
      'network_cannot_initiate',
      'On the network of this device, contacts write first; answer in their conversation',
    );
  if (isRestricted) return deviceRestricted(context.restricted_until);
  return context.used >= context.message_limit ? monthlyQuotaExceeded(context, now) : null;
}

/** A takeover ends about this long after the pool's lease. */
const secondsOfTakeover = 2;

const secondsOfDay = 86_400;

/**
 * Reports at least the limit as used: concurrent sends may have used the rest since `used` was read. Clients that wait for
 * `Retry-After` must not sleep for weeks, so it is sent only on the last day of the month.
 */
export function monthlyQuotaExceeded(
  { quota, used, message_limit: limit }: SendContext,
  now: Date,
): ApiError {
  const atLeast = Math.max(used, limit);
  const resetsAt = startOfNextMonth(now);
  const wait = Math.ceil((resetsAt.getTime() - now.getTime()) / 1000);
  return new ApiError(429, 'RATE_LIMIT_EXCEEDED', "The month's active messages are used up", {
    details: { reason: 'active_messages', quota, used: atLeast, limit, resets_at: timestamp(resetsAt) },
    headers: {
      ...rateLimitHeaders(limit, atLeast),
      ...(wait <= secondsOfDay ? { 'retry-after': String(wait) } : {}),
    },
  });
}

const deviceRestricted = (until: Date | null): ApiError =>
  badRequest(
    'device_restricted',
    'The network refuses messages of this device to contacts who never wrote to it',
    until === null ? {} : { until: timestamp(until) },
  );

const recipientOptedOut = (): ApiError =>
  badRequest('recipient_opted_out', 'The contact wants no active messages of the team');

export function refusedBeforeDelivery(failure: string | null): ApiError {
  if (failure === 'recipient_opted_out') return recipientOptedOut();
  if (failure === 'recipient_unknown')
    return badRequest(
      'recipient_unknown',
      'destination_number has no account on the network; check the number',
    );
  if (failure === 'device_restricted') return deviceRestricted(null);
  return operationFailed(
    'network_refused',
    'The network refused the message; retry later with a new Idempotency-Key',
  );
}
