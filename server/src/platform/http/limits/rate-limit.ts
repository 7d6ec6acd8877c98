import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DetailsOf } from '../error-reasons.ts';
import { type ApiError, requestRateExceeded } from '../errors.ts';
import type { App } from '../fastify-app.ts';
import type { RateLimitStatus, RequestRate } from './request-rate.ts';

/** Returns extra details of the 429. May throw the error that the operation itself would return. */
export type RateLimitErrorDetails = (request: FastifyRequest) => Promise<DetailsOf<'request_rate'>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Delays the 429 until the body is validated, because the details depend on the body. */
    rateLimitErrorDetails?: RateLimitErrorDetails;
  }
  interface FastifyRequest {
    /** Seconds until a retry is allowed. Null if the request is within the limit. */
    rateLimitRetryAfter: number | null;
  }
}

/** Headers follow draft-ietf-httpapi-ratelimit-headers. `r` is an estimate if several processes serve one key. */
export function installRateLimit(app: App, rate: RequestRate): void {
  app.decorateRequest('rateLimitRetryAfter', null);
  const policy = `"minute";q=${rate.limitPerMinute};w=60`;

  const admit = (
    status: RateLimitStatus,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ApiError | undefined => {
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"minute";r=${status.remaining};t=${status.resetsIn}`);
    if (status.allowed) return undefined;
    if (request.routeOptions.config.rateLimitErrorDetails === undefined) {
      return requestRateExceeded(status.resetsIn);
    }
    request.rateLimitRetryAfter = status.resetsIn;
    return undefined;
  };

  app.addHook('onRequest', (request, reply, done) => {
    if (request.actor === null) return done();
    const status = rate.take(request.actor.keyId);
    if (!(status instanceof Promise)) return done(admit(status, request, reply));
    status.then((drawn) => done(admit(drawn, request, reply)), done);
  });

  app.addHook('onRoute', (route) => {
    const details = route.config?.rateLimitErrorDetails;
    if (details === undefined) return;
    // Route hooks run after the app's hooks, so after validation.
    route.preHandler = async (request) => {
      if (request.rateLimitRetryAfter === null) return;
      throw requestRateExceeded(request.rateLimitRetryAfter, await details(request));
    };
  });
}
