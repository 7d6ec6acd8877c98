import { Counter, Histogram, type Registry } from 'prom-client';
import type { App } from '../http/app.ts';

/** Seconds: from a plain read on a warm connection to a provider call that used up its deadline. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What one route counts with, its labels bound. */
interface RouteMeters {
  duration: Histogram.Internal<string>;
  byStatus: Map<number, Counter.Internal>;
}

export interface RequestMeters {
  answered: Counter;
  durations: Histogram;
}

export function createRequestMeters(registry: Registry): RequestMeters {
  const registers = [registry];
  return {
    answered: new Counter({
      name: 'parley_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets,
      registers,
    }),
  };
}

/** Counts requests by route and status, and measures how long each route takes. Routes by their template, never by URL. */
export function installRequestMetrics(app: App, { answered, durations }: RequestMeters): void {
  const metersOfRoutes = new Map<string, RouteMeters>();
  const metersOf = (method: string, route: string): RouteMeters => {
    const name = `${method} ${route}`;
    const known = metersOfRoutes.get(name);
    if (known !== undefined) return known;
    const meters = { duration: durations.labels(method, route), byStatus: new Map() };
    metersOfRoutes.set(name, meters);
    return meters;
  };

  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const meters = metersOf(method, route);
    const { statusCode } = reply;
    let counter = meters.byStatus.get(statusCode);
    if (counter === undefined) {
      counter = answered.labels(method, route, String(statusCode));
      meters.byStatus.set(statusCode, counter);
    }
    counter.inc();
    meters.duration.observe(reply.elapsedTime / 1000);
    done();
  });
}
