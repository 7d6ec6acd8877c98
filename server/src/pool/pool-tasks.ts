import type { Task } from './pollers.ts';
import type { PoolParts } from './pool-parts.ts';
import { type UnlinkingDeps, unlinkBuried } from './unlinking.ts';

/** How often a pool looks for others that ended. */
const watchMs = 1000;
const drainStepMs = 250;

/** What a pool does beside renewing its lease: it keeps in step with the other pools and with the rows. */
export function poolTasks(
  { lease, hosting, outbox, draining }: PoolParts,
  unlinking: UnlinkingDeps,
  everyMs: number,
): Task[] {
  return [
    {
      everyMs: Math.min(everyMs, watchMs),
      run: async () => {
        if ((await lease.takeOver()) > 0) await hosting.reconcile(null);
      },
    },
    { everyMs, run: () => hosting.reconcile(null) },
    { everyMs, run: lease.forgetPast },
    { everyMs, run: async () => void (await unlinkBuried(unlinking)) },
    {
      everyMs,
      run: async () => {
        const poolId = lease.poolId();
        if (poolId !== null) await outbox.sweep(poolId);
      },
    },
    { everyMs: drainStepMs, run: draining.step },
  ];
}
