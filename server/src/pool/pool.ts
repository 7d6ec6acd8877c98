import { setTimeout } from 'node:timers/promises';
import { handledLocally } from '../database/notifications.ts';
import { startInternalInterface } from './internal-interface.ts';
import { selectHostedState } from './lease.queries.ts';
import { type Pollers, startPollers } from './pollers.ts';
import { createPoolComponents, type PoolComponents, type PoolOptions } from './pool-components.ts';
import { poolTasks } from './pool-tasks.ts';
import { unlinkPending } from './unlinking.ts';

export interface Pool {
  url: string;
  /** Hands the devices over: closes their connections, then lets go of them. */
  close(): Promise<void>;
}

/** How long a pool that stops waits for the network's word on what it has sent. */
const drainMs = 3000;

/** The pool role: hosts sessions of devices under a lease and sends what waits in the outbox for them. */
export async function startPool(options: PoolOptions): Promise<Pool> {
  const { db, notifications, encryption, logger, faultPoint, metrics, config } = options;
  const internal = await startInternalInterface({
    host: config.host,
    port: config.port,
    encryption,
    expose: metrics.expose,
    view: {
      stateOf: (deviceId) => selectHostedState(db, lease.poolId(), deviceId),
      wake: (deviceId) => rounds.checkSoon(deviceId),
      drain: () => draining.begin(),
    },
  });
  const url = config.url ?? internal.url;
  const parts = createPoolComponents(options, url);
  const { lease, hosting, dispatcher, draining } = parts;
  const rounds = startPoolRounds(options, parts);
  try {
    await rounds.firstRenewal;
  } catch (error) {
    dispatcher.stop();
    await internal.close();
    throw error;
  }
  const unsubscribe = [
    metrics.pool.observe({ remainingSeconds: lease.remainingSeconds, states: () => hosting.countByState() }),
    notifications.subscribe('device-changed', rounds.checkSoon),
    notifications.subscribe('message-due', (deviceId) =>
      dispatcher.wake(deviceId) ? handledLocally : undefined,
    ),
    notifications.subscribe('pool-ended', rounds.runAllNow),
    notifications.onGap(rounds.runAllNow),
  ];
  logger.info({ url, poolId: lease.poolId() }, 'the pool is up');
  return {
    url,
    async close() {
      for (const stop of unsubscribe) stop();
      await rounds.close();
      await closeSessions(parts);
      faultPoint('handover.after_close');
      try {
        await lease.end();
        notifications.publish('pool-ended', url);
      } catch (error) {
        logger.warn({ err: error }, 'the lease could not be ended; it ends by itself');
      }
      await internal.close();
    },
  };
}

function startPoolRounds(options: PoolOptions, parts: PoolComponents): Pollers {
  const { lease, hosting } = parts;
  const leaseMs = options.config.leaseSeconds * 1000;
  let held = false;
  const renew = async () => {
    const isBack = held && lease.poolId() === null;
    await lease.renew();
    held = true;
    // The devices are looked at at once, not when it is their turn.
    if (isBack) rounds.runAllNow();
  };
  const rounds = startPollers({
    renew: { everyMs: leaseMs / 6, run: renew },
    rest: poolTasks(parts, options, leaseMs / 3),
    look: async (deviceIds) => {
      await hosting.reconcile(deviceIds);
      await unlinkPending(options);
    },
    logger: options.logger,
  });
  return rounds;
}

/** Sends nothing more, and waits for what is under way before and after the sessions end. */
async function closeSessions({
  dispatcher,
  hosting,
}: Pick<PoolComponents, 'dispatcher' | 'hosting'>): Promise<void> {
  dispatcher.stop();
  await Promise.race([dispatcher.waitUntilIdle(), setTimeout(drainMs, undefined, { ref: false })]);
  await hosting.closeAll();
  // What was still waiting for the network has got its outcome by the end of its session.
  await dispatcher.waitUntilIdle();
}
