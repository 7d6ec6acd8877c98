import fastifySwaggerUi from '@fastify/swagger-ui';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import { createHosts, type Hosts } from '../shared/hosts.ts';
import type { Logger } from '../shared/logger.ts';
import {
  type Authenticate,
  installAuthentication,
  installAuthorization,
  type RolesOf,
} from './authentication.ts';
import { installBodyParser } from './body.ts';
import { type ConnectionShares, createConnectionShares } from './connection-shares.ts';
import {
  type ConnectionLimits,
  connectionLimits,
  createClientErrorHandler,
  limitPipelining,
  rejectUnsupportedRequests,
} from './connections.ts';
import { installCors } from './cors.ts';
import { installErrorHandler } from './error-handler.ts';
import type { App, Routes } from './fastify-app.ts';
import { installHostCheck } from './host-check.ts';
import { installRateLimit } from './limits/rate-limit.ts';
import type { RequestRate } from './limits/request-rate.ts';
import { installOpenapi } from './openapi/openapi.ts';
import { readRequestId } from './request-id.ts';
import { installRequestLog } from './request-log.ts';
import { isDecodable } from './validation/percent-escapes.ts';
import { installValidation } from './validation/validation.ts';

/**
 * Creates the partner API's server. The hooks run in the order of their errors: authentication (401), request rate (429),
 * authorization (404, 403), body parser and validation (400, 404), handler.
 */
export async function createApp(options: {
  logger: Logger;
  authenticate: Authenticate;
  /** Default: a caller with a role may call nothing. */
  rolesOf?: RolesOf;
  requestRate: RequestRate | null;
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  hosts?: Hosts;
  routes: readonly Routes[];
  /** The part `webhooks` of the OpenAPI document. */
  webhooks?: Record<string, object>;
  connections?: ConnectionLimits;
  connectionShares?: ConnectionShares;
  prepare?: (app: App) => void;
  /** Called when a request failed because a disk is full. */
  onStorageFull?: () => void;
}): Promise<App> {
  const {
    connectionShares = createConnectionShares(),
    rolesOf = () => ({ partner: [], team: [], portal: [] }),
  } = options;
  const app = createServer(options);
  connectionShares.watch(app.server);
  app.addHook('preClose', async () => connectionShares.closeUnused());
  limitPipelining(app);
  installCommonHeaders(app);
  installErrorHandler(app, options.onStorageFull ?? (() => undefined));
  if (options.corsOrigins.length > 0) installCors(app, options.corsOrigins);
  options.prepare?.(app);
  installHostCheck(app, options.hosts ?? createHosts([]), options.logger);
  installAuthentication(app, options.authenticate, connectionShares);
  if (options.requestRate !== null) installRateLimit(app, options.requestRate);
  installAuthorization(app, rolesOf);
  installBodyParser(app);
  installValidation(app);
  installRequestLog(app, options.logger);
  await installOpenapi(app, { webhooks: options.webhooks ?? {}, rolesOf });
  await installReference(app);
  for (const routes of options.routes) {
    await app.register(async (scope: App) => routes(scope));
  }
  return app;
}

function createServer(options: {
  logger: Logger;
  trustedProxies: readonly string[];
  connections?: ConnectionLimits;
}): App {
  const { logger, trustedProxies, connections: limits = connectionLimits } = options;
  const loggerInstance: FastifyBaseLogger = logger;
  const app: App = fastify({
    loggerInstance,
    genReqId: ({ headers }) => readRequestId(headers),
    // A child logger per request would cost more than the request's log line. Errors name the request themselves.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    ...limits,
    clientErrorHandler: createClientErrorHandler(logger),
    // Fastify would reject a path with an invalid percent escape before authentication. Escaping `%` prevents that.
    rewriteUrl: ({ url = '/' }) => {
      const [path = url] = url.split('?');
      return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
    },
    return503OnClosing: false,
    // The default of 100 would turn an overlong id into an unknown route instead of an unknown id.
    routerOptions: { maxParamLength: limits.http.maxHeaderSize },
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>();
  rejectUnsupportedRequests(app.server, logger);
  return app;
}

function installCommonHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    done();
  });
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

async function installReference(app: App): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    await scope.register(fastifySwaggerUi, {
      routePrefix: '/api/openapi/reference',
      staticCSP: contentSecurityPolicy,
      theme: { title: 'Parley API reference' },
      uiConfig: { layout: 'BaseLayout', filter: true, showExtensions: true, defaultModelsExpandDepth: 0 },
    });
  });
}
