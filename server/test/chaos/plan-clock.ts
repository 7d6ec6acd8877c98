import { setTimeout as delay } from 'node:timers/promises';

/** Resolves at a time of the plan, in milliseconds after its start. */
export type PlanClock = (at: number) => Promise<void>;

/** The second half of a plan begins when the processes killed in the first half are ready again. */
export const firstHalfMs = 2_000;
/** Starts are slow on a busy machine; the plan must not end before the fault points are armed. */
const timeoutMs = 20_000;

export function startPlanClock(waitUntilReady: () => Promise<unknown>): PlanClock {
  const startedAt = performance.now();
  const until = (time: number) => delay(Math.max(0, time - performance.now()));
  const resumed = until(startedAt + firstHalfMs)
    .then(() => Promise.race([waitUntilReady(), delay(timeoutMs, undefined, { ref: false })]))
    .then(() => performance.now());
  return async (at) => {
    if (at <= firstHalfMs) await until(startedAt + at);
    else await until((await resumed) + at - firstHalfMs);
  };
}
