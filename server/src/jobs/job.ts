/**
 * A unit of cold, durable work. Jobs are run at least once and by any worker: `run` is idempotent and its last act is a
 * fenced domain write that throws when the work is stale. Failures are retried with exponential backoff.
 */
export interface Job<Payload extends object = object> {
  name: string;
  /** Crontab expression in UTC; absent for jobs that only run when enqueued. Scheduled runs get `{}`. */
  schedule?: string;
  /** Tries before it rests; sweeps that come back by schedule need few. */
  maxAttempts: number;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
}
