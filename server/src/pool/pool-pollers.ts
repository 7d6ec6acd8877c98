import { type Pollers, type PollTask, startPollers } from './pollers.ts';
import type { PoolComponents, PoolOptions } from './pool-components.ts';
import { unlinkPending } from './unlinking.ts';

const takeOverEveryMs = 500;
/** After a pause of half a lease, the rest is enough for a renewal even on a busy machine. */
const renewalsPerLease = 12;
const drainStepMs = 250;

export function startPoolPollers(options: PoolOptions, components: PoolComponents): Pollers {
  const { lease, host } = components;
  const leaseMs = options.config.leaseSeconds * 1000;
  let hadLease = false;
  const renew = async () => {
    const isRegained = hadLease && lease.poolId() === null;
    // The process may have been paused during a renewal. The lease is then given up before the response is read, so renew again.
    await lease.renew().catch(() => lease.renew());
    hadLease = true;
    if (isRegained) pollers.runAllNow();
  };
  const pollers = startPollers({
    renew: { everyMs: leaseMs / renewalsPerLease, run: renew },
    others: createTasks(options, components, leaseMs / 3),
    checkDevices: async (deviceIds) => {
      await host.reconcile(deviceIds);
      await unlinkPending(options);
    },
    logger: options.logger,
  });
  return pollers;
}

const createTasks = (
  options: PoolOptions,
  { lease, host, outbox, drain }: PoolComponents,
  everyMs: number,
): PollTask[] => [
  {
    everyMs: Math.min(everyMs, takeOverEveryMs),
    run: async () => {
      if ((await lease.takeOver()) > 0) await host.reconcile(null);
    },
  },
  { everyMs, run: () => host.reconcile(null) },
  { everyMs, run: lease.deleteEndedPools },
  { everyMs, run: async () => void (await unlinkPending(options)) },
  {
    everyMs,
    run: async () => {
      const poolId = lease.poolId();
      if (poolId !== null) await outbox.sweep(poolId);
    },
  },
  { everyMs: drainStepMs, run: drain.step },
];
