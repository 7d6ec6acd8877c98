import { Counter, Histogram, type Registry } from 'prom-client';
import type { App } from './fastify-app.ts';

/** Seconds: from a fast read to a provider call that reaches its deadline. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of one route with bound labels. Looking up labels is slow. */
interface RouteMeters {
  duration: Histogram.Internal<string>;
  byStatus: Map<number, Counter.Internal>;
}

export interface RequestMeters {
  total: Counter;
  durations: Histogram;
}

export function createRequestMeters(registry: Registry): RequestMeters {
  const registers = [registry];
  return {
    total: new Counter({
      name: 'parley_http_requests_total',
      help: 'Completed requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_http_request_duration_seconds',
      help: 'Time from the request headers to the end of the response.',
      labelNames: ['method', 'route'],
      buckets,
      registers,
    }),
  };
}

/** Labels routes by template, never by URL, to bound the number of time series. */
export function installRequestMetrics(app: App, { total, durations }: RequestMeters): void {
  const metersByRoute = new Map<string, RouteMeters>();
  const getMeters = (method: string, route: string): RouteMeters => {
    const name = `${method} ${route}`;
    const known = metersByRoute.get(name);
    if (known !== undefined) return known;
    const meters = { duration: durations.labels(method, route), byStatus: new Map() };
    metersByRoute.set(name, meters);
    return meters;
  };

  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const meters = getMeters(method, route);
    const { statusCode } = reply;
    let counter = meters.byStatus.get(statusCode);
    if (counter === undefined) {
      counter = total.labels(method, route, String(statusCode));
      meters.byStatus.set(statusCode, counter);
    }
    counter.inc();
    meters.duration.observe(reply.elapsedTime / 1000);
    done();
  });
}
