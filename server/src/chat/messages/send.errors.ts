import { ApiError, badRequest, type InputIssue, operationFailed } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';
import { startOfNextMonth } from '../../platform/shared/clock.ts';
import type { AcceptResult, SendContext } from './accept.queries.ts';
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
  if (input.template !== undefined) issues.push(...findTemplateIssues(input));
  if (input.choices !== undefined) issues.push(...findChoiceIssues(input, input.choices));
  return issues;
}

/** The network takes no other white space in a variable. */
const unsuitable = /[\r\n\t]| {5}/;

function findTemplateIssues(input: ValidInput<SendMessage>): InputIssue[] {
  const others = (['image_url', 'choices'] as const).filter(
    (name) => input[name] !== undefined && input[name] !== null,
  );
  const switches = (['send_as_audio', 'ai_generates_message'] as const).filter(
    (name) => input[name] === true,
  );
  return [
    ...[...others, ...switches].map((path) => ({ path, message: 'cannot be combined with template' })),
    ...(input.template?.parameters ?? []).flatMap((value, index) =>
      typeof value === 'string' && unsuitable.test(value)
        ? [
            {
              path: `template.parameters[${index}]`,
              message: 'must have no line break, no tab and no five spaces',
            },
          ]
        : [],
    ),
  ];
}

function findChoiceIssues(
  input: ValidInput<SendMessage>,
  { options = [] }: NonNullable<ValidInput<SendMessage>['choices']>,
): InputIssue[] {
  const ids = options.map((option) => option?.id ?? option?.title);
  const combined = input.image_url != null || input.send_as_audio === true;
  return [
    ...(combined ? [{ path: 'choices', message: 'cannot be combined with an image or audio' }] : []),
    ...(new Set(ids).size < ids.length
      ? [{ path: 'choices.options', message: 'must have different ids' }]
      : []),
  ];
}

export const rateLimitHeaders = (limit: number, used: number): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, limit - used)),
  'x-ratelimit-used': String(used),
});

/** Returns the first reason why the device may not send now, or null. The order is part of the API. */
export function findRefusal(
  context: SendContext,
  now: Date,
  { isRestricted = false, hasTemplate = false } = {},
): ApiError | null {
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
  if (context.window_closed && !hasTemplate) return windowClosed(context.templates);
  if (isRestricted) return deviceRestricted(context.restricted_until);
  return context.used >= context.message_limit ? monthlyQuotaExceeded(context, now) : null;
}

/** What only the statement that accepts a message knows. */
export const circumstancesOf = ({ is_restricted, has_template }: AcceptResult) => ({
  isRestricted: is_restricted,
  hasTemplate: has_template,
});

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

export const windowClosed = (templates: { name: string; language: string }[]): ApiError =>
  badRequest(
    'window_closed',
    'The contact has not written within 24 hours; send a template, or wait until the contact writes',
    { templates },
  );

export function refusedBeforeDelivery(failure: string | null): ApiError {
  if (failure === 'recipient_opted_out') return recipientOptedOut();
  if (failure === 'recipient_unknown')
    return badRequest(
      'recipient_unknown',
      'destination_number has no account on the network; check the number',
    );
  if (failure === 'device_restricted') return deviceRestricted(null);
  if (failure === 'window_closed') return windowClosed([]);
  if (failure === 'template_refused')
    return badRequest(
      'template_refused',
      'The network refused the template; check its state and its parameters',
    );
  return operationFailed(
    'network_refused',
    'The network refused the message; retry later with a new Idempotency-Key',
  );
}
