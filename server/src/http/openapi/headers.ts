import type { FastifyContextConfig } from 'fastify';
import { type TSchema, Type } from 'typebox';

const extension = { 'x-extension': true } as const;

const requestId = {
  'X-Request-Id': Type.String({
    ...extension,
    description: "The request's own, where it is 1 to 128 letters, digits and `._:-`; else a new one.",
  }),
};

/** As in draft-ietf-httpapi-ratelimit-headers; absent where requests are not limited. */
const requestRate = {
  RateLimit: Type.String({
    ...extension,
    description: "What is left of the key's requests, and in how many seconds more are free.",
    examples: ['"minute";r=299;t=60'],
  }),
  'RateLimit-Policy': Type.String({
    ...extension,
    description: 'How many requests a key may make in how many seconds.',
    examples: ['"minute";q=300;w=60'],
  }),
};

const replayed = {
  'Idempotent-Replayed': Type.Enum(['true'], {
    ...extension,
    description: 'This is the result of the first request with the same Idempotency-Key.',
  }),
};

const challenge = { 'WWW-Authenticate': Type.Enum(['Bearer']) };

const retryAfter = {
  'Retry-After': Type.Integer({ description: 'Seconds until the request may be repeated.' }),
};

/** What a repeat can get as the first result. */
const keptStatuses = new Set([200, 400, 403, 404]);

/** The headers that an operation's answer of one status can carry, beside those of HTTP and CORS. */
export function responseHeaders(status: number, config: FastifyContextConfig): Record<string, TSchema> {
  const isPublic = config.access === 'public';
  // Of the public operations only the exchange of credentials is refused, and only it locks out who guesses.
  const toldWhen = status === 429 || status === 503 || (status === 401 && isPublic);
  return {
    ...requestId,
    ...(isPublic || status === 401 ? {} : requestRate),
    ...(config.idempotent === true && keptStatuses.has(status) ? replayed : {}),
    ...(status === 401 ? challenge : {}),
    ...(toldWhen ? retryAfter : {}),
    ...config.documented?.headers[status],
  };
}
