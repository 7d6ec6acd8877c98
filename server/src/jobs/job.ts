/**
 * A unit of cold, durable work, run at least once by any worker. `run` is idempotent and ends with a fenced domain write
 * that throws when the work is stale. Failures are retried with exponential backoff.
 */
export interface Job<Payload extends object = object> {
  name: string;
  /** A crontab expression in UTC. Scheduled runs get `{}` as their payload. */
  schedule?: string;
  /** Scheduled sweeps need few: the next run tries again. */
  maxAttempts: number;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
}
