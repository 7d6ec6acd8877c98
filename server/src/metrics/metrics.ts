import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { type AnsweringMeters, createAnsweringMeters } from './answering-metrics.ts';
import { measureBacklog } from './backlog.ts';
import { createExposition, type Exposition } from './exposition.ts';
import { createJobMeters, type JobMeters } from './job-metrics.ts';
import { createPoolMeters, type PoolMeters } from './pool-metrics.ts';
import { createRequestMeters, type RequestMeters } from './request-metrics.ts';

export interface Metrics {
  requests: RequestMeters;
  pool: PoolMeters;
  answering: AnsweringMeters;
  jobs: JobMeters;
  expose: Exposition;
}

/** Creates the metrics of this process. If `token` is null, only this machine may read them. */
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
