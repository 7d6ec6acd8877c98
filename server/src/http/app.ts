import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  fastify,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { isUuid } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import type { Actor } from './actor.ts';
import { type Authenticate, installAuthentication, installAuthorization } from './authentication.ts';
import { installBodyParser } from './body.ts';
import {
  type ConnectionLimits,
  connectionLimits,
  createClientErrorHandler,
  limitPipelining,
  maxConnections,
  rejectUnsupportedRequests,
} from './connections.ts';
import { installCors } from './cors.ts';
import { installErrorHandler } from './error-handler.ts';
import { badRequest } from './errors.ts';
import { installRateLimit } from './limits/rate-limit.ts';
import type { RequestRate } from './limits/request-rate.ts';
import { installOpenapi } from './openapi/openapi.ts';
import { installReference } from './openapi/reference-page.ts';
import { RequestLogger } from './request-logger.ts';
import { isDecodable } from './validation/percent-escapes.ts';
import { installValidation } from './validation/validation.ts';

/** Fastify with TypeBox's types: what route plugins receive. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Declares the routes of one resource. */
export type Routes = (app: App) => void | Promise<void>;

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * The partner API over HTTP. A request passes: request id, authentication (401), request rate (429), authorization
 * (404, 403), body parser, validation (400, 404), handler; whatever is thrown on the way goes through one translator.
 */
export async function createApp(options: {
  logger: Logger;
  authenticate: Authenticate;
  /** Null: unlimited. */
  requestRate: RequestRate | null;
  /** Addresses and networks whose word on who calls is believed. */
  trustedProxies: readonly string[];
  /** Whose pages may call the API. */
  corsOrigins: readonly string[];
  routes: readonly Routes[];
  connections?: ConnectionLimits;
  /** Runs before anything looks at a request. */
  prepare?: (app: App) => void;
}): Promise<App> {
  const app = createServer(options);
  limitPipelining(app);
  installCommonHeaders(app);
  installErrorHandler(app);
  if (options.corsOrigins.length > 0) installCors(app, options.corsOrigins);
  options.prepare?.(app);
  requireHost(app);
  installAuthentication(app, options.authenticate);
  if (options.requestRate !== null) installRateLimit(app, options.requestRate);
  installAuthorization(app);
  installBodyParser(app);
  installValidation(app);
  installRequestLog(app, options.logger);
  await installOpenapi(app);
  await installReference(app);
  for (const routes of options.routes) {
    await app.register(async (scope: App) => routes(scope));
  }
  return app;
}

/** Fastify as this house sets it, with nothing installed. */
function createServer(options: {
  logger: Logger;
  trustedProxies: readonly string[];
  connections?: ConnectionLimits;
}): App {
  const { logger, trustedProxies, connections: limits = connectionLimits } = options;
  const loggerInstance: FastifyBaseLogger = logger;
  const app: App = fastify({
    loggerInstance,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
    },
    childLoggerFactory: (parent, bindings, settings) =>
      new RequestLogger(() => parent.child(bindings, settings)),
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    ...limits,
    clientErrorHandler: createClientErrorHandler(logger),
    // In a path, percent signs that escape nothing are taken as they stand.
    rewriteUrl: ({ url = '/' }) => (isDecodable(url.split('?')[0] ?? url) ? url : url.replaceAll('%', '%25')),
    return503OnClosing: false,
    // No path is longer, so that an overlong id is one that names nothing, like any other.
    routerOptions: { maxParamLength: limits.http.maxHeaderSize },
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = maxConnections;
  rejectUnsupportedRequests(app.server, logger);
  return app;
}

/** Of every response. Pages and files set a `Cache-Control` of their own; what the API says is for its caller alone. */
function installCommonHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    done();
  });
}

/** As HTTP/1.1 asks; a request without is malformed. */
function requireHost(app: App): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const lacks = raw.headers.host === undefined && raw.httpVersion === '1.1';
    done(lacks ? badRequest('malformed_request', 'The request could not be read') : undefined);
  });
}

const whoCalls = ({ keyId, scope }: Actor) =>
  scope.kind === 'all' ? { key: keyId } : { key: keyId, teamId: scope.teamId };

/** What the route says it is the id of. */
function idInPath(params: unknown): { id?: string } {
  const { id } = (params ?? {}) as { id?: unknown };
  return typeof id === 'string' && isUuid(id) ? { id } : {};
}

/**
 * One line a request, for debugging alone where that is routine. Nothing in it could be a credential, so that the
 * search for them is left out.
 */
function installRequestLog(app: App, logger: Logger): void {
  const lines = logger.child({}, { redact: [] });
  app.decorateRequest('about', null);
  app.addHook('onResponse', (request, reply, done) => {
    const { routine = false } = request.routeOptions.config;
    lines[routine && reply.statusCode < 500 ? 'debug' : 'info'](
      {
        reqId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.actor === null ? {} : whoCalls(request.actor)),
        ...idInPath(request.params),
        ...request.about,
      },
      'request',
    );
    done();
  });
}
