import { Counter, Histogram, type Registry } from 'prom-client';

export interface JobMeters {
  ended: Counter<'job' | 'outcome'>;
  durations: Histogram<'job'>;
}

const seconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

export function createJobMeters(registry: Registry): JobMeters {
  const registers = [registry];
  return {
    ended: new Counter({
      name: 'parley_jobs_total',
      help: 'Finished jobs by outcome: done or failed. Failed jobs are retried.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_job_duration_seconds',
      help: 'Duration of jobs.',
      labelNames: ['job'],
      buckets: seconds,
      registers,
    }),
  };
}
