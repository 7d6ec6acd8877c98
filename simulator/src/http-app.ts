import type { IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { SimulatorLogger } from './logger.ts';

/** Fits a 16 MiB file in base64. */
const bodyLimitBytes = 24 * 1024 * 1024;

/** Receives the headers of a request or of a WebSocket upgrade. */
export type Refuse = (headers: IncomingHttpHeaders) => { status: number; body: object } | null;

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: 400 | 404;
  readonly reason: string;
  constructor(status: 400 | 404, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Creates a Fastify application that validates without coercion and returns errors in the API's envelope. */
export function createHttpApp(logger: SimulatorLogger, refuse: Refuse): FastifyInstance {
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: true,
    // Joined, a repeated Host header is malformed.
    http: { joinDuplicateHeaders: true },
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: true },
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refuse(request.headers);
    if (refusal !== null) return reply.status(refusal.status).send(refusal.body);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.status(404).send(failure('NOT_FOUND', 'The route does not exist', { reason: 'route_unknown' })),
  );
  app.setErrorHandler<FastifyError | RequestRefused>((error, request, reply) => {
    if (error instanceof RequestRefused) {
      const code = error.status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST';
      return reply.status(error.status).send(failure(code, error.message, { reason: error.reason }));
    }
    if ((error.statusCode ?? 500) < 500) {
      const details = { reason: 'validation', issues: toIssues(error) };
      return reply.status(400).send(failure('BAD_REQUEST', 'The request is not valid', details));
    }
    logger.error({ err: error, method: request.method, url: request.url }, 'a request failed');
    return reply
      .status(500)
      .send(failure('INTERNAL_ERROR', 'The simulated network failed', { reason: 'unexpected' }));
  });
  return app;
}

export function success<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data };
}

function failure(code: 'BAD_REQUEST' | 'NOT_FOUND' | 'INTERNAL_ERROR', error: string, details: object) {
  return { success: false, error, code, details };
}

function toIssues(error: FastifyError): { path: string; message: string }[] {
  if (!error.validation) return [{ path: '', message: error.message }];
  return error.validation.map(({ instancePath, message, params }) => {
    const member = params.missingProperty ?? params.additionalProperty;
    const path = [...instancePath.split('/').slice(1), ...(typeof member === 'string' ? [member] : [])];
    return { path: path.join('.'), message: message ?? 'is not valid' };
  });
}
