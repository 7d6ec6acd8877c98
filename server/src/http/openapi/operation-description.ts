import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type TObject, type TSchema, Type } from 'typebox';
import { Id } from '../fields.ts';
import { idempotencyKeyPattern } from '../idempotency/idempotency-key.ts';
import { responseHeaders } from './headers.ts';

interface ErrorSchemas {
  ErrorBody: TSchema;
  NestedErrorBody: TSchema;
}

export function describeOperation(
  schema: FastifySchema & { operationId?: string },
  config: FastifyContextConfig,
  url: string,
  errors: ErrorSchemas,
): FastifySchema {
  const { body, querystring, response, ...rest } = schema;
  const documented = config.documented;
  const queried = hasMembers(querystring);
  const pathParameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    ...rest,
    ...(queried ? { querystring: withoutDefaulted(querystring as TObject) } : {}),
    ...(body === undefined ? {} : { body }),
    ...(documented?.multipart === undefined
      ? {}
      : { body: documented.multipart, consumes: ['multipart/form-data'] }),
    ...(pathParameters.length === 0 ? {} : { params: pathSchema(pathParameters) }),
    ...(config.idempotent === true ? { headers: idempotencyHeader } : {}),
    ...(documented?.extension === true ? { 'x-extension': true } : {}),
    response: {
      ...(documented?.binary === true
        ? { 200: { ...binaryResponse, headers: responseHeaders(200, config) } }
        : describeResponse(response, config)),
      ...errorResponses(
        config,
        { canBeMissing: pathParameters.length > 0 && documented?.creates !== true },
        errors,
      ),
    },
  } as FastifySchema;
}

const binaryResponse = {
  description: "The document's bytes, as an attachment.",
  content: {
    '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
  },
};

const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      'x-extension': true,
      minLength: 1,
      maxLength: 255,
      pattern: idempotencyKeyPattern,
      description: 'For 24 hours, a retry with the same key returns the first result.',
    }),
  ),
});

/** A query parameter with a default is optional for clients but always set in handlers. */
function withoutDefaulted(querystring: TObject): TSchema {
  const { properties } = querystring;
  const required: readonly string[] = querystring.required ?? [];
  const hasDefault = (name: string) => properties[name] !== undefined && 'default' in properties[name];
  return { ...querystring, required: required.filter((name) => !hasDefault(name)) };
}

const hasMembers = (schema: unknown): boolean =>
  Object.keys((schema as { properties?: object }).properties ?? {}).length > 0;

const eventStream = {
  schema: {
    type: 'string',
    description: 'Server-sent events: `id` is the cursor, `event` the type, `data` the event.',
  },
};

const describeResponse = (response: unknown, config: FastifyContextConfig): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(response as Record<string, TSchema>).map(([status, schema]) => [
      status,
      {
        description: 'Success',
        headers: responseHeaders(Number(status), config),
        content: {
          'application/json': { schema },
          ...(config.documented?.streams === true ? { 'text/event-stream': eventStream } : {}),
        },
      },
    ]),
  );

function pathSchema(names: readonly string[]): TSchema {
  return Type.Object(Object.fromEntries(names.map((name) => [name, name === 'id' ? Id() : Type.String()])));
}

const meanings: Record<number, string> = {
  400: 'BAD_REQUEST: invalid request or body, or an action that the state forbids',
  401: 'UNAUTHORIZED: missing or invalid credentials',
  403: 'FORBIDDEN: insufficient permissions',
  404: 'NOT_FOUND: the resource does not exist',
  429: "RATE_LIMIT_EXCEEDED: more requests than the key may make in a minute; for send also more active messages than the month's quota",
  500: 'INTERNAL_ERROR',
  503: 'INTERNAL_ERROR: temporarily unavailable; nothing was changed, see Retry-After',
};

const nestedMeanings: Record<number, string> = {
  403: "FEATURE_NOT_AVAILABLE: active messaging is not in the team's plan",
};

function errorResponses(
  config: FastifyContextConfig,
  { canBeMissing }: { canBeMissing: boolean },
  errors: ErrorSchemas,
): Record<string, unknown> {
  const statuses = new Set<number>([400, 500, 503, ...(config.documented?.errors ?? [])]);
  if (config.access !== 'public') statuses.add(401).add(429);
  if (config.access === 'globalKey') statuses.add(403);
  if (canBeMissing) statuses.add(404);
  const nested = (status: number) => config.nestedErrors === true && (status === 403 || status === 429);
  return Object.fromEntries(
    [...statuses].sort().map((status) => [
      String(status),
      {
        description: (nested(status) ? nestedMeanings[status] : undefined) ?? meanings[status],
        headers: responseHeaders(status, config),
        content: {
          'application/json': { schema: nested(status) ? errors.NestedErrorBody : errors.ErrorBody },
        },
      },
    ]),
  );
}
