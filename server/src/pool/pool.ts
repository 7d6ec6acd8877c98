import { setTimeout } from 'node:timers/promises';
import { isDeviceToken } from '../devices/device-token.ts';
import { selectTokenGenerations } from '../devices/devices.sql.ts';
import { selectHostedState } from '../devices/hosting.sql.ts';
import { createLoader } from '../platform/database/loader.ts';
import { handledLocally } from '../platform/database/notifications.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import { startInternalInterface } from './internal-interface.ts';
import { type Pollers, type PollTask, startPollers } from './pollers.ts';
import { createPoolComponents, type PoolComponents, type PoolOptions } from './pool-components.ts';
import { maxSettleMs } from './pool-drain.ts';
import { unlinkPending } from './unlinking.ts';

export interface Pool {
  url: string;
  close(): Promise<void>;
}

export async function startPool(options: PoolOptions): Promise<Pool> {
  const { db, notifications, encryption, deviceTokens, logger, metrics, hosts, config } = options;
  const readGeneration = createLoader((ids: readonly string[]) => selectTokenGenerations(db, ids));
  const internal = await startInternalInterface({
    host: config.host,
    port: config.port,
    encryption,
    isDeviceToken: async (deviceId, given) =>
      isDeviceToken(deviceTokens, { deviceId, generation: await readGeneration(deviceId) }, given),
    expose: metrics.expose,
    hosts,
    view: {
      getState: (deviceId) => selectHostedState(db, lease.poolId(), deviceId),
      wake: (deviceId) => pollers.checkSoon(deviceId),
      drain: () => drain.start(),
    },
  });
  const url = config.url ?? internal.url;
  const components = createPoolComponents(options, url);
  const { lease, host, dispatcher, drain, inbox } = components;
  const pollers = startPoolPollers(options, components);
  try {
    await pollers.firstRenewal;
  } catch (error) {
    dispatcher.stop();
    await internal.close();
    throw error;
  }
  const unsubscribe = [
    metrics.pool.observe({ remainingSeconds: lease.remainingSeconds, states: () => host.countByState() }),
    notifications.subscribe('device-changed', pollers.checkSoon),
    notifications.subscribe('message-due', (deviceId) =>
      dispatcher.wake(deviceId) ? handledLocally : undefined,
    ),
    notifications.subscribe('inbox-due', (deviceId) => (inbox.wake(deviceId) ? handledLocally : undefined)),
    notifications.subscribe('pool-ended', pollers.runAllNow),
    notifications.onGap(pollers.runAllNow),
  ];
  logger.info({ url, poolId: lease.poolId() }, 'the pool is up');
  return {
    url,
    async close() {
      await drain.finish().catch((error: unknown) => {
        logger.warn({ err: error }, 'devices could not be moved to other pools before the stop');
      });
      for (const stop of unsubscribe) stop();
      await pollers.stopTasks();
      await inbox.stop();
      await closeSessions(components);
      await pollers.close();
      faultPoint('handover.after_close');
      try {
        await lease.end();
        notifications.publish('pool-ended', url);
      } catch (error) {
        logger.warn({ err: error }, 'the lease could not be ended; it ends by itself when it expires');
      }
      await internal.close();
    },
  };
}

async function closeSessions({
  dispatcher,
  host,
}: Pick<PoolComponents, 'dispatcher' | 'host'>): Promise<void> {
  dispatcher.stop();
  await Promise.race([dispatcher.waitUntilIdle(), setTimeout(maxSettleMs, undefined, { ref: false })]);
  await host.closeAll();
  // Closing the sessions settles the remaining attempts.
  await dispatcher.waitUntilIdle();
}

const takeOverEveryMs = 500;
/** After a pause of half a lease, the rest is enough for a renewal even on a busy machine. */
const renewalsPerLease = 12;
const drainStepMs = 250;
const inboxPollMs = 1000;

function startPoolPollers(options: PoolOptions, components: PoolComponents): Pollers {
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
  { lease, host, outbox, drain, inbox }: PoolComponents,
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
  {
    everyMs: Math.min(everyMs, inboxPollMs),
    run: async () => {
      const poolId = lease.poolId();
      if (poolId !== null) await inbox.poll(poolId);
    },
  },
  { everyMs: drainStepMs, run: drain.step },
];
