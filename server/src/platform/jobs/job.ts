/** Runs at least once. `run` must be idempotent and end with a write that throws when the work is stale. */
export interface Job<Payload extends object = object> {
  name: string;
  /** A crontab expression in UTC. Scheduled runs get `{}` as their payload. */
  schedule?: string;
  maxAttempts: number;
  /** Whether a scheduled run waits until the one before has ended, over the whole deployment. */
  oneAtATime?: boolean;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
}
