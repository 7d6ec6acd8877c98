import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the plan's time has come, in milliseconds after its beginning. */
export type PlanClock = (at: number) => Promise<void>;

/** Of a plan's two halves, the second begins when what was killed in the first is back. */
export const firstHalfMs = 2_000;
/** On a busy machine a start takes long; without this a plan would be over before its fault points are armed. */
const patienceMs = 20_000;

export function startPlanClock(untilBack: () => Promise<unknown>): PlanClock {
  const begun = performance.now();
  const until = (time: number) => delay(Math.max(0, time - performance.now()));
  const resumed = until(begun + firstHalfMs)
    .then(() => Promise.race([untilBack(), delay(patienceMs, undefined, { ref: false })]))
    .then(() => performance.now());
  return async (at) => {
    if (at <= firstHalfMs) await until(begun + at);
    else await until((await resumed) + at - firstHalfMs);
  };
}
