import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  DatabaseLost,
  DatabaseNotReached,
  isConnectionLost,
  isLockConflict,
} from '../database/connection-errors.ts';
import type { App } from './app.ts';
import { ApiError, badRequest, notFound, operationFailed, unavailable } from './errors.ts';

/** The one translator from what was thrown to the error envelope. */
export function installErrorHandler(app: App): void {
  app.setErrorHandler((error, request, reply) => {
    // Closing while the client still sends would take the answer from it: the rest is read away instead.
    if (codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') reply.removeHeader('connection');
    return sendError(asApiError(error, request), request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendError(notFound('route'), request, reply));
}

function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply) {
  const { status, code, message, details } = error;
  const nested = request.routeOptions.config.nestedErrors === true && (status === 403 || status === 429);
  const withDetails = details === undefined ? {} : { details };
  const body = nested
    ? { success: false, error: { message, code, ...withDetails } }
    : { success: false, error: message, code, ...withDetails };
  return reply
    .code(status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

function asApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
    return error;
  }
  const code = codeOf(error);
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (code.startsWith('FST_ERR_CTP') || (statusCode >= 400 && statusCode < 500)) {
    return badRequest(reasonOf(code), 'The request could not be read');
  }
  request.log.error({ err: error }, 'request failed');
  const broken = isConnectionLost(error);
  if (error instanceof DatabaseNotReached || (broken && changesNothing(request))) {
    return unavailable('database_away', 'The database is away; try again', 1);
  }
  if (isLockConflict(error)) {
    return unavailable('database_busy', 'Others held what this needs, and nothing was done; try again', 1);
  }
  if (broken || error instanceof DatabaseLost) {
    return outcomeUnknown(request.routeOptions.config.idempotent === true);
  }
  return new ApiError(500, 'INTERNAL_ERROR', 'Internal server error', { details: { reason: 'internal' } });
}

/** Of a read nothing is left half done: it has not begun until it is asked again. */
const changesNothing = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || routeOptions.config.readOnly === true;

const outcomeUnknown = (takesKey: boolean) =>
  operationFailed(
    'outcome_unknown',
    `The database broke off: whether this was done is not known${takesKey ? '. Under the same Idempotency-Key it can be repeated' : ''}`,
  );

/** Empty for an error without one; that of a DOMException, as of a deadline, is a number. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function reasonOf(code: string): string {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'body_too_large';
  if (code.startsWith('FST_ERR_CTP')) return 'content_type';
  return 'malformed_request';
}
