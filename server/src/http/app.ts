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
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import { type Authenticate, installAuthentication } from './authentication.ts';
import { installBodyParser } from './body.ts';
import { installErrorReply } from './error-reply.ts';
import { installOpenapi } from './openapi.ts';
import { installValidation } from './validation.ts';

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
 * The partner API over HTTP. A request passes: request id, authentication (401, 404, 403), body parser, validation
 * (400, 404), handler; whatever is thrown on the way goes through one translator.
 */
export async function createApp(options: {
  logger: Logger;
  authenticate: Authenticate;
  routes: readonly Routes[];
  /** Runs before anything looks at a request. */
  prepare?: (app: App) => void;
}): Promise<App> {
  const loggerInstance: FastifyBaseLogger = options.logger;
  const app: App = fastify({
    loggerInstance,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && saneRequestId.test(given) ? given : newId();
    },
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  installErrorReply(app);
  options.prepare?.(app);
  installAuthentication(app, options.authenticate);
  installBodyParser(app);
  installValidation(app);
  installRequestLog(app);
  await installOpenapi(app);
  for (const routes of options.routes) {
    await app.register(async (scope: App) => routes(scope));
  }
  return app;
}

/** One line a request. */
function installRequestLog(app: App): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.actor === null ? {} : { key: request.actor.keyId }),
      },
      'request',
    );
  });
}
