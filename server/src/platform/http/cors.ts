import type { App } from './fastify-app.ts';

const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';
const allowedHeaders = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id';
const exposedHeaders = [
  'Allow',
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Used',
  'X-Request-Id',
].join(', ');

const preflightLifetime = '600';

/** Allows `origins` (`*` means any), never with credentials. Browsers send preflights without a token. */
export function installCors(app: App, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(allowed.has(origin) || allowed.has('*'))) return;
    reply.header('access-control-allow-origin', origin);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply.header('access-control-allow-methods', allowedMethods);
      reply.header('access-control-allow-headers', allowedHeaders);
      reply.header('access-control-max-age', preflightLifetime);
      return reply.code(200).send();
    }
    reply.header('access-control-expose-headers', exposedHeaders);
  });
}
