import { collectDefaultMetrics, Registry } from 'prom-client';
import { createRequestMeters, type RequestMeters } from './request-metrics.ts';

/** What this process counts and measures, in Prometheus' terms: made once, whatever roles it has. */
export interface Metrics {
  registry: Registry;
  requests: RequestMeters;
}

/** Begins with memory, processor time, event loop delay and garbage collection of the process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, requests: createRequestMeters(registry) };
}
