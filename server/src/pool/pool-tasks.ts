import type { PollTask } from './pollers.ts';
import type { PoolComponents } from './pool-components.ts';
import { type UnlinkDeps, unlinkPending } from './unlinking.ts';

/** How often a pool looks for others that ended. */
const watchMs = 1000;
const drainStepMs = 250;

/** What a pool does beside renewing its lease: it keeps in step with the other pools and with the rows. */
export function poolTasks(
  { lease, hosting, outbox, draining }: PoolComponents,
  unlinking: UnlinkDeps,
  everyMs: number,
): PollTask[] {
  return [
    {
      everyMs: Math.min(everyMs, watchMs),
      run: async () => {
        if ((await lease.takeOver()) > 0) await hosting.reconcile(null);
      },
    },
    { everyMs, run: () => hosting.reconcile(null) },
    { everyMs, run: lease.deleteEndedPools },
    { everyMs, run: async () => void (await unlinkPending(unlinking)) },
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
