import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/** Retries work that needs locked rows. Limits how many attempts of one group, for example a team, run at once. */
export interface GroupedRetries {
  /** Repeats `attempt` until it returns a result, with increasing pauses. Rejects after 20 s. */
  run<Result extends NonNullable<unknown>>(
    group: string,
    attempt: () => Promise<Result | null>,
  ): Promise<Result>;
  /** True while work of the group waits for locked rows. */
  isBlocked(group: string): boolean;
}

/** While one attempt waits for a lock, another one of the group can succeed. */
const maxRunningPerGroup = 2;
const firstDelayMs = 20;
const maxDelayMs = 1000;
const maxTotalMs = 20_000;

export function createGroupedRetries(): GroupedRetries {
  const attempts = createSemaphore({
    perGroup: { maxRunning: maxRunningPerGroup },
    maxWaitMs: maxTotalMs,
    errors: { full: stillLocked, timedOut: stillLocked, closed: stillLocked },
  });
  const blocked = new Map<string, number>();
  const countBlocked = (group: string, change: number) => {
    const count = (blocked.get(group) ?? 0) + change;
    if (count === 0) blocked.delete(group);
    else blocked.set(group, count);
  };
  return {
    async run(group, attempt) {
      const deadline = performance.now() + maxTotalMs;
      for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
        const result = await attempts.run(attempt, { group });
        if (result !== null) return result;
        if (performance.now() >= deadline) throw stillLocked();
        countBlocked(group, 1);
        await delay(delayMs);
        countBlocked(group, -1);
      }
    },
    isBlocked: (group) => blocked.has(group),
  };
}

const stillLocked = () => new Error('another transaction holds the rows that this write needs');
