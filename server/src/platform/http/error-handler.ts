import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  DatabaseLost,
  DatabaseNotReached,
  isConnectionLost,
  isLockConflict,
  isStorageFull,
} from '../database/connection-errors.ts';
import type { ErrorReason } from './error-reasons.ts';
import {
  ApiError,
  badRequest,
  databaseBusy,
  notFound,
  operationFailed,
  storageFull,
  unavailable,
} from './errors.ts';
import type { App } from './fastify-app.ts';
import { noteFailure } from './request-log.ts';

/** Calls `onStorageFull` when a request failed because a disk is full. */
export function installErrorHandler(app: App, onStorageFull: () => void): void {
  app.setErrorHandler((error, request, reply) => {
    // Closing the connection while the client still sends would lose the response.
    if (getCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') reply.removeHeader('connection');
    const apiError = toApiError(error, request);
    if (apiError.details?.reason === ('storage_full' satisfies ErrorReason)) onStorageFull();
    return sendError(apiError, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendError(notFound('route'), request, reply));
}

function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply) {
  noteFailure(request, error);
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

function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError && error.status >= 500 && isStorageFull(error.cause)) {
    request.log.error({ reqId: request.id, err: error.cause }, error.message);
    return storageFull(error.cause);
  }
  if (error instanceof ApiError) {
    // A 503 without a cause refuses work, like a 4xx. The line of the request reports it.
    if (error.status === 500 || (error.status > 500 && error.cause !== undefined))
      request.log.error({ reqId: request.id, err: error.cause ?? error }, error.message);
    return error;
  }
  const code = getCode(error);
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (code.startsWith('FST_ERR_CTP') || (statusCode >= 400 && statusCode < 500)) {
    return toReadError(code, request);
  }
  request.log.error({ reqId: request.id, err: error }, 'request failed');
  const broken = isConnectionLost(error);
  if (error instanceof DatabaseNotReached || (broken && isReadOnly(request))) {
    return unavailable('database_away', 'The database is unavailable; retry', 1);
  }
  if (isLockConflict(error)) return databaseBusy();
  if (isStorageFull(error)) return storageFull(error);
  if (broken || error instanceof DatabaseLost) {
    return outcomeUnknown(request.routeOptions.config.idempotent === true);
  }
  return new ApiError(500, 'INTERNAL_ERROR', 'Internal server error', { details: { reason: 'internal' } });
}

const isReadOnly = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || routeOptions.config.readOnly === true;

const outcomeUnknown = (takesKey: boolean) =>
  operationFailed(
    'outcome_unknown',
    `The database connection was lost, so the outcome is unknown${takesKey ? '. Retry with the same Idempotency-Key' : ''}`,
  );

/** Returns an empty string if there is no code. The code of a DOMException is a number. */
function getCode(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function toReadError(code: string, { routeOptions }: FastifyRequest): ApiError {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return badRequest('body_too_large', `The body is larger than ${routeOptions.bodyLimit} bytes`);
  if (code.startsWith('FST_ERR_CTP')) return badRequest('content_type', 'The content type is not supported');
  return badRequest('malformed_request', 'The request is not valid HTTP');
}
