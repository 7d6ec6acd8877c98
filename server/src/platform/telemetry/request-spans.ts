import type { App } from '../http/fastify-app.ts';
import { currentRequest } from './current-request.ts';
import type { RecordSpan } from './spans.ts';
import { readTraceparent } from './trace-ids.ts';

/** Records a span of each request, except for probes and polls that succeed. */
export function installRequestSpans(app: App, recordSpan: RecordSpan): void {
  app.addHook('preHandler', ({ id }, _reply, done) => currentRequest.run(id, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, routeOptions, method, actor } = request;
    const { statusCode: status } = reply;
    const route = routeOptions.url ?? 'unknown';
    const failed = status >= 500;
    // Retries have the same request id. Only one of them creates the message whose delivery is part of the request.
    const isParent = method === 'POST' && status < 400 && !reply.hasHeader('idempotent-replayed');
    if (routeOptions.config.routine !== true || failed)
      recordSpan({
        name: `${method} ${route}`,
        requestId,
        root: { caller: readTraceparent(request.headers['traceparent']), isParent },
        kind: 'server',
        startedAt: Date.now() - reply.elapsedTime,
        failed,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'parley.key_id': actor?.keyId,
          'parley.team_id': actor?.scope.kind === 'team' ? actor.scope.teamId : undefined,
        },
      });
    done();
  });
}
