import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { type ApiError, requestRateExceeded } from '../errors.ts';
import type { RateLimitStatus, RequestRate } from './request-rate.ts';

/** What a refusal says beside its reason. May throw what the operation itself would answer instead. */
export type RateLimitErrorDetails = (request: FastifyRequest) => Promise<Record<string, unknown>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The refusal waits for the parsed and valid body, because its details tell about what the body names. */
    rateLimitErrorDetails?: RateLimitErrorDetails;
  }
  interface FastifyRequest {
    /** Seconds after which a refused request may be repeated; null when it is not refused. */
    rateLimitRetryAfter: number | null;
  }
}

/**
 * Counts every authenticated request against its key and refuses what is beyond the rate (429), before the body is read.
 * Headers as in draft-ietf-httpapi-ratelimit-headers: `r` is an estimate where several processes serve one key.
 */
export function installRateLimit(app: App, rate: RequestRate): void {
  app.decorateRequest('rateLimitRetryAfter', null);
  const policy = `"minute";q=${rate.limitPerMinute};w=60`;

  const admit = (
    standing: RateLimitStatus,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ApiError | undefined => {
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"minute";r=${standing.remaining};t=${standing.freesIn}`);
    if (standing.admitted) return undefined;
    if (request.routeOptions.config.rateLimitErrorDetails === undefined) {
      return requestRateExceeded(standing.freesIn);
    }
    request.rateLimitRetryAfter = standing.freesIn;
    return undefined;
  };

  // With a callback rather than a promise: nearly every request is admitted without waiting for anything.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.actor === null) return done();
    const standing = rate.take(request.actor.keyId);
    if (!(standing instanceof Promise)) return done(admit(standing, request, reply));
    standing.then((drawn) => done(admit(drawn, request, reply)), done);
  });

  app.addHook('onRoute', (route) => {
    const details = route.config?.rateLimitErrorDetails;
    if (details === undefined) return;
    // A route's own hook runs after the app's, validation among them.
    route.preHandler = async (request) => {
      if (request.rateLimitRetryAfter === null) return;
      throw requestRateExceeded(request.rateLimitRetryAfter, await details(request));
    };
  });
}
