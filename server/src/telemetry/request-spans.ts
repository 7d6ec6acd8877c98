import type { App } from '../http/fastify-app.ts';
import type { RecordSpan } from './spans.ts';
import { readTraceparent, traceIdOf } from './trace-ids.ts';

/** Records a span of each request, except for probes and polls that succeed. */
export function installRequestSpans(app: App, recordSpan: RecordSpan): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, routeOptions, method, actor } = request;
    const { statusCode: status } = reply;
    const route = routeOptions.url ?? 'unknown';
    const caller = readTraceparent(request.headers['traceparent']);
    const failed = status >= 500;
    if (routeOptions.config.routine !== true || failed)
      recordSpan({
        name: `${method} ${route}`,
        requestId,
        root: { parentSpanId: caller?.traceId === traceIdOf(requestId) ? caller.spanId : null },
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
