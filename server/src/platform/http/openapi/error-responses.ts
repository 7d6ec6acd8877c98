import type { FastifyContextConfig } from 'fastify';
import { type TProperties, type TSchema, Type } from 'typebox';
import { type ErrorDetails as Details, errorReasons } from '../error-reasons.ts';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { responseHeaders, storedStatuses } from './headers.ts';

const ErrorReason = Type.Enum(Object.keys(errorReasons).sort(), {
  title: 'ErrorReason',
  type: 'string',
  description: 'A stable word for programs. docs/errors.md explains each.',
});

const titleOf = (reason: string): string =>
  `${reason.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Details`;

const reasons: [string, { details: TProperties }][] = Object.entries(errorReasons);
const isPlain = ([, { details }]: (typeof reasons)[number]) => Object.keys(details).length === 0;
const plainReasons = reasons.filter(isPlain).map(([reason]) => reason);

const ofReason = (constraint: { const: string } | { enum: readonly string[] }) =>
  Type.Unsafe({ type: 'string', allOf: [ErrorReason], ...constraint });

const PlainDetails = Type.Object(
  { reason: ofReason({ enum: plainReasons.sort() }) },
  { title: 'PlainDetails' },
);

const detailSchemas = reasons
  .filter((entry) => !isPlain(entry))
  .map(([reason, { details }]) =>
    Type.Object({ reason: ofReason({ const: reason }), ...details }, { title: titleOf(reason) }),
  );

const ErrorDetails = Type.Unsafe({
  title: 'ErrorDetails',
  oneOf: [PlainDetails, ...detailSchemas],
  discriminator: {
    propertyName: 'reason',
    mapping: Object.fromEntries(
      reasons.map((entry) => [
        entry[0],
        `#/components/schemas/${isPlain(entry) ? 'PlainDetails' : titleOf(entry[0])}`,
      ]),
    ),
  },
});

const ErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({
      description: 'A message for people. It can change; programs read `code` and `details.reason`.',
    }),
    code: Type.Enum([...errorCodes]),
    details: Type.Optional(Type.Union([ErrorDetails, Type.Null()])),
  },
  { title: 'Error' },
);

const NestedErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object({
      message: Type.String(),
      code: Type.Enum([...errorCodes]),
      details: Type.Optional(ErrorDetails),
    }),
  },
  { title: 'SendError' },
);

interface ErrorExample {
  message: string;
  code: ErrorCode;
  details?: Details;
}

interface ErrorDescription {
  name: string;
  description: string;
  example: ErrorExample;
}

const descriptions: Record<number, ErrorDescription> = {
  400: {
    name: 'BadRequest',
    description: 'BAD_REQUEST: invalid request or body, or an action that the state forbids',
    example: {
      message: 'Invalid request: name must not be blank or contain control characters',
      code: 'BAD_REQUEST',
      details: {
        reason: 'validation',
        issues: [{ path: 'name', message: 'must not be blank or contain control characters' }],
      },
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'UNAUTHORIZED: missing or invalid credentials',
    example: { message: 'Missing or invalid credentials', code: 'UNAUTHORIZED' },
  },
  403: {
    name: 'Forbidden',
    description: 'FORBIDDEN: insufficient permissions',
    example: {
      message: 'This operation needs an API key of scope global',
      code: 'FORBIDDEN',
      details: { reason: 'scope' },
    },
  },
  404: {
    name: 'NotFound',
    description: 'NOT_FOUND: the resource does not exist',
    example: {
      message: 'The team does not exist, or the API key may not see it',
      code: 'NOT_FOUND',
      details: { reason: 'team_not_found' },
    },
  },
  429: {
    name: 'TooManyRequests',
    description:
      "RATE_LIMIT_EXCEEDED: more requests than the key may make in a minute; for send also more active messages than the month's quota",
    example: {
      message: 'Too many requests with this API key; retry in 12 s',
      code: 'RATE_LIMIT_EXCEEDED',
      details: { reason: 'request_rate' },
    },
  },
  500: {
    name: 'InternalError',
    description: 'INTERNAL_ERROR',
    example: { message: 'Internal server error', code: 'INTERNAL_ERROR', details: { reason: 'internal' } },
  },
  503: {
    name: 'Unavailable',
    description: 'INTERNAL_ERROR: temporarily unavailable; nothing was changed, see Retry-After',
    example: {
      message: 'The database is unavailable; retry',
      code: 'INTERNAL_ERROR',
      details: { reason: 'database_away' },
    },
  },
};

const nestedDescriptions: Record<number, Omit<ErrorDescription, 'name'>> = {
  403: {
    description: "FEATURE_NOT_AVAILABLE: active messaging is not in the team's plan",
    example: {
      message: "Active messaging is not in the team's plan; move the team to a plan that has it",
      code: 'FEATURE_NOT_AVAILABLE',
      details: { reason: 'active_messaging_not_in_plan' },
    },
  },
  429: {
    description: descriptions[429]?.description ?? '',
    example: {
      message: "The month's active messages are used up",
      code: 'RATE_LIMIT_EXCEEDED',
      details: {
        reason: 'active_messages',
        quota: 1000,
        used: 1050,
        limit: 1050,
        resets_at: '2026-12-01T00:00:00.000Z',
      },
    },
  },
};

interface ErrorResponse {
  status: number;
  /** The name in `components.responses`. Operations whose responses are equal share it. */
  name: string;
  response: object;
}

export function errorResponses(config: FastifyContextConfig, path: string): ErrorResponse[] {
  const statuses = new Set<number>([400, 500, 503, ...(config.documented?.errors ?? [])]);
  if (config.access !== 'public') statuses.add(401).add(403).add(429);
  if (path.includes(':') && config.documented?.creates !== true) statuses.add(404);
  return [...statuses].map((status) => describe(status, config));
}

function describe(status: number, config: FastifyContextConfig): ErrorResponse {
  const common = descriptions[status];
  if (common === undefined) throw new Error(`errors with status ${status} have no description`);
  const nested = config.nestedErrors === true ? nestedDescriptions[status] : undefined;
  const { description, example } = nested ?? common;
  const { message, ...rest } = example;
  const [schema, body] =
    nested === undefined
      ? [ErrorBody, { success: false, error: message, ...rest }]
      : [NestedErrorBody, { success: false, error: example }];
  const headers = Object.entries(responseHeaders(status, config)).map(describeHeader);
  return {
    status,
    name: `${nested === undefined ? kindOf(status, config) : 'Send'}${common.name}`,
    response: {
      description,
      headers: Object.fromEntries(headers),
      content: { 'application/json': { schema, example: body } },
    },
  };
}

/** Distinguishes responses that differ in their headers. */
function kindOf(status: number, config: FastifyContextConfig): string {
  if (config.access === 'public') return 'Public';
  return config.idempotent === true && storedStatuses.has(status) ? 'Replayable' : '';
}

const describeHeader = ([name, { description, ...schema }]: [string, TSchema & { description?: string }]) => [
  name,
  { schema, ...(description === undefined ? {} : { description }) },
];
