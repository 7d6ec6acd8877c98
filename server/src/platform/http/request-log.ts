import type { FastifyRequest } from 'fastify';
import { isUuid } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import type { ApiError } from './errors.ts';
import type { App } from './fastify-app.ts';

const maxPathLength = 200;

/** Logs one line per request. It contains no credentials, so redaction is off: it would cost time on every request. */
export function installRequestLog(app: App, logger: Logger): void {
  const requestLogger = logger.child({}, { redact: [] });
  app.decorateRequest('logContext', null);
  // Only creations return an object with a new id, so reads do not pay for this hook.
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return;
    route.preSerialization = [route.preSerialization ?? [], noteCreatedId].flat();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { actor, params, routeOptions } = request;
    const { statusCode: status } = reply;
    const isQuiet = routeOptions.config.routine === true && status < 500;
    const fields = {
      reqId: request.id,
      method: request.method,
      route: routeOptions.url ?? 'unknown',
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key: actor?.keyId,
      teamId: actor?.scope.kind === 'team' ? actor.scope.teamId : undefined,
      id: getPathId(params),
    };
    requestLogger[isQuiet ? 'debug' : 'info'](
      request.logContext === null ? fields : { ...fields, ...request.logContext },
      'request',
    );
    done();
  });
}

/** Phone numbers in paths, such as those of contacts. */
const phoneNumber = /(?<=\/)(\+|%2b)?\d{7,15}(?=\/|$)/gi;

/** Adds to the request's log line why and for whom it failed, without personal data: the query and phone numbers. */
export function noteFailure(request: FastifyRequest, { code, details }: ApiError): void {
  const [path = ''] = request.url.split('?');
  request.logContext = {
    ...request.logContext,
    reason: details?.reason ?? code.toLowerCase(),
    address: request.ip,
    path: path.slice(0, maxPathLength).replaceAll(phoneNumber, '(number)'),
  };
}

async function noteCreatedId(request: FastifyRequest, _reply: unknown, payload: unknown): Promise<unknown> {
  const id = findId(payload);
  if (id !== undefined && getPathId(request.params) !== id)
    request.logContext = { ...request.logContext, createdId: id };
  return payload;
}

/** A created object is the data of its response, except a team, which comes with its user. */
function findId(payload: unknown): string | undefined {
  const { data } = (payload ?? {}) as {
    data?: { id?: unknown; key_id?: unknown; team?: { id?: unknown } } | null;
  };
  const id = data?.id ?? data?.key_id ?? data?.team?.id;
  return typeof id === 'string' ? id : undefined;
}

function getPathId(params: unknown): string | undefined {
  const { id } = (params ?? {}) as { id?: unknown };
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}
