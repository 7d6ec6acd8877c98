import { setTimeout } from 'node:timers/promises';
import type { MessagingNetwork } from '../adapters/messaging-network/messaging-network.ts';
import type { Database } from '../database/database.ts';
import { dealtWith, type Notifications } from '../database/notifications.ts';
import { createOutbox, type Outbox } from '../messages/outbox.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { Fault } from '../shared/faults.ts';
import type { Logger } from '../shared/logger.ts';
import { Dispatcher } from './dispatcher.ts';
import { createDraining } from './draining.ts';
import { Hosting } from './hosting.ts';
import { startInternalInterface } from './internal-interface.ts';
import { hostedState } from './lease.queries.ts';
import { createLease, type Lease } from './lease.ts';
import { startRounds, type Task } from './rounds.ts';
import { unlinkBuried } from './unlinking.ts';

export interface PoolOptions {
  db: Database;
  network: Pick<MessagingNetwork, 'openSession'>;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  encryption: Pick<Encryption, 'seal' | 'open' | 'keyedHash'>;
  logger: Logger;
  fault: Fault;
  metrics: Pick<Metrics, 'pool' | 'expose'>;
  config: {
    host: string;
    port: number;
    /** Under which the other processes reach it; null for what it listens on. */
    url: string | null;
    capacity: number;
    leaseSeconds: number;
    pairingTimeoutMs?: number;
    openTimeoutMs?: number;
    ackTimeoutMs?: number;
    pollMs?: number;
  };
}

export interface Pool {
  url: string;
  /** Hands the devices over: closes their connections, then lets go of them. */
  close(): Promise<void>;
}

/** How long a pool that stops waits for the network's word on what it has sent. */
const drainMs = 3000;
/** How often a pool looks for others that ended. */
const watchMs = 1000;
const drainStepMs = 250;

/** The pool role: hosts sessions of devices under a lease and sends what waits in the outbox for them. */
export async function startPool(options: PoolOptions): Promise<Pool> {
  const { db, network, notifications, encryption, logger, fault, metrics, config } = options;
  const leaseMs = config.leaseSeconds * 1000;
  const outbox = createOutbox({ db, notifications, fault });
  const internal = await startInternalInterface({
    host: config.host,
    port: config.port,
    encryption,
    expose: metrics.expose,
    view: {
      stateOf: (deviceId) => hostedState(db, lease.poolId(), deviceId),
      wake: (deviceId) => rounds.look(deviceId),
      drain: () => draining.begin(),
    },
  });
  const url = config.url ?? internal.url;
  const lease = createLease({
    db,
    url,
    capacity: config.capacity,
    leaseSeconds: config.leaseSeconds,
    logger,
    fault,
    onTakenOver: (devices) => metrics.pool.takenOver.inc(devices),
    onLost: () => hosting.closeAll(),
  });
  const hosting = new Hosting({
    db,
    network,
    notifications,
    encryption,
    outbox,
    logger,
    fault,
    poolId: lease.poolId,
    pairingTimeoutMs: config.pairingTimeoutMs ?? 180_000,
    openTimeoutMs: config.openTimeoutMs ?? 30_000,
    onEvent: (event) => metrics.pool.events.inc({ event }),
    onUp: (deviceId) => dispatcher.wake(deviceId),
  });
  const dispatcher = new Dispatcher({
    outbox,
    poolId: lease.poolId,
    sessionOf: (deviceId) => hosting.sessionOf(deviceId),
    connected: () => hosting.connected(),
    logger,
    fault,
    meters: metrics.pool,
    ackTimeoutMs: config.ackTimeoutMs ?? 15_000,
    pollMs: config.pollMs ?? 1000,
  });
  const draining = createDraining({ db, lease, hosting, dispatcher, notifications, logger, fault });
  const unlinking = { db, network, encryption, notifications, logger, fault };
  let isUp = false;
  const renew = async () => {
    const isBack = isUp && lease.poolId() === null;
    await lease.renew();
    // The devices are looked at at once, not when it is their turn.
    if (isBack) rounds.hurry();
  };
  const rounds = startRounds({
    renew: { everyMs: leaseMs / 6, run: renew },
    rest: [
      ...tasksOf({ lease, hosting, outbox, leaseMs }),
      { everyMs: leaseMs / 3, run: async () => void (await unlinkBuried(unlinking)) },
      { everyMs: drainStepMs, run: draining.step },
    ],
    look: async (deviceIds) => {
      await hosting.reconcile(deviceIds);
      await unlinkBuried(unlinking);
    },
    logger,
  });
  try {
    await rounds.first;
    isUp = true;
  } catch (error) {
    dispatcher.stop();
    await internal.close();
    throw error;
  }
  metrics.pool.observe({ remainingSeconds: lease.remainingSeconds, states: () => hosting.states() });
  const unsubscribe = [
    notifications.subscribe('device-changed', rounds.look),
    notifications.subscribe('message-due', (deviceId) => (dispatcher.wake(deviceId) ? dealtWith : undefined)),
    notifications.subscribe('pool-ended', rounds.hurry),
    notifications.onGap(rounds.hurry),
  ];
  logger.info({ url, poolId: lease.poolId() }, 'the pool is up');
  return {
    url,
    async close() {
      for (const stop of unsubscribe) stop();
      await rounds.close();
      dispatcher.stop();
      await Promise.race([dispatcher.drained(), setTimeout(drainMs, undefined, { ref: false })]);
      await hosting.closeAll();
      // What was still waiting for the network has got its outcome by the end of its session.
      await dispatcher.drained();
      fault('handover.after_close');
      try {
        await lease.end();
        notifications.publish('pool-ended', url);
      } finally {
        await internal.close();
      }
    },
  };
}

/** Keeping in step with the other pools and with the rows. */
function tasksOf({
  lease,
  hosting,
  outbox,
  leaseMs,
}: {
  lease: Pick<Lease, 'poolId' | 'takeOver' | 'forgetPast'>;
  hosting: Pick<Hosting, 'reconcile'>;
  outbox: Pick<Outbox, 'sweep'>;
  leaseMs: number;
}): Task[] {
  const everyMs = leaseMs / 3;
  return [
    {
      everyMs: Math.min(everyMs, watchMs),
      run: async () => {
        if ((await lease.takeOver()) > 0) await hosting.reconcile(null);
      },
    },
    { everyMs, run: () => hosting.reconcile(null) },
    { everyMs, run: lease.forgetPast },
    {
      everyMs,
      run: async () => {
        const poolId = lease.poolId();
        if (poolId !== null) await outbox.sweep(poolId);
      },
    },
  ];
}
