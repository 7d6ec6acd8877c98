import type { FastifyContextConfig } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { challenges } from '../errors.ts';

const extension = { 'x-extension': true } as const;

const requestId = {
  'X-Request-Id': Type.String({
    ...extension,
    description: 'The id from the request if it is 1 to 128 letters, digits and `._:-`, otherwise a new id.',
  }),
};

const requestRate = {
  RateLimit: Type.String({
    ...extension,
    description: 'Requests that the key has left (`r`), and the seconds until more are allowed (`t`).',
    examples: ['"minute";r=299;t=60'],
  }),
  'RateLimit-Policy': Type.String({
    ...extension,
    description: 'Requests that a key may make (`q`) in a window of seconds (`w`).',
    examples: ['"minute";q=300;w=60'],
  }),
};

const replayed = {
  'Idempotent-Replayed': Type.Enum(['true'], {
    ...extension,
    description: 'This is the result of the first request with the same Idempotency-Key.',
  }),
};

const challenge = {
  'WWW-Authenticate': Type.Enum(Object.values(challenges), {
    description:
      '`invalid_request`: the header `Authorization` is missing or malformed. `invalid_token`: get a new token.',
  }),
};

const retryAfter = {
  'Retry-After': Type.Integer({ description: 'Seconds until the request may be retried.' }),
};

/** Statuses of results that an Idempotency-Key keeps. */
export const storedStatuses = new Set([200, 400, 403, 404]);

export function responseHeaders(status: number, config: FastifyContextConfig): Record<string, TSchema> {
  const isPublic = config.access === 'public';
  // The credential exchange is the only public operation with 401. It delays callers that guess.
  const hasRetryAfter = status === 429 || status === 503 || (status === 401 && isPublic);
  return {
    ...requestId,
    ...(isPublic || status === 401 ? {} : requestRate),
    ...(config.idempotent === true && storedStatuses.has(status) ? replayed : {}),
    ...(status === 401 ? challenge : {}),
    ...(hasRetryAfter ? retryAfter : {}),
    ...config.documented?.headers[status],
  };
}
