import { Counter, Histogram, type Registry } from 'prom-client';

/** What workers count of jobs. */
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
      help: 'Jobs run, by outcome: done or failed. A failed one is run again.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_job_duration_seconds',
      help: 'How long jobs ran.',
      labelNames: ['job'],
      buckets: seconds,
      registers,
    }),
  };
}
