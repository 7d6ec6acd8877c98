import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { type AnsweringMeters, createAnsweringMeters } from './answering-metrics.ts';
import { measureBacklog } from './backlog.ts';
import { createExposition, type Exposition } from './exposition.ts';
import { createJobMeters, type JobMeters } from './job-metrics.ts';
import { createPoolMeters, type PoolMeters } from './pool-metrics.ts';
import { createRequestMeters, type RequestMeters } from './request-metrics.ts';

/** What this process counts and measures, in Prometheus' terms: made once, whatever roles it has. */
export interface Metrics {
  requests: RequestMeters;
  pool: PoolMeters;
  answering: AnsweringMeters;
  jobs: JobMeters;
  /** All of it as text. */
  expose: Exposition;
}

/**
 * Begins with memory, processor time, event loop delay and garbage collection of the process. `token`: who sends it may
 * read them from elsewhere; null: nobody may.
 */
export function createMetrics({ db, token }: { db: Database; token: string | null }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureBacklog(registry, db);
  return {
    requests: createRequestMeters(registry),
    pool: createPoolMeters(registry),
    answering: createAnsweringMeters(registry),
    jobs: createJobMeters(registry),
    expose: createExposition({ registry, token }),
  };
}
