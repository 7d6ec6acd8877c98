import type { MessagingNetwork } from '../adapters/messaging-network/messaging-network.ts';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { createOutbox, type Outbox } from '../messages/outbox.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { DeviceHost } from './device-host.ts';
import { Dispatcher } from './dispatcher.ts';
import { createLease, type Lease } from './lease.ts';
import { createPoolDrain, type PoolDrain } from './pool-drain.ts';

export interface PoolOptions {
  db: Database;
  /** With a connection that nobody else has: a pool whose others are all busy goes on renewing its lease. */
  leaseDb: Database;
  network: Pick<MessagingNetwork, 'openSession'>;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  encryption: Pick<Encryption, 'seal' | 'open' | 'keyedHash'>;
  logger: Logger;
  faultPoint: FaultPoint;
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

/** What a pool consists of: its lease, the sessions under it, and who sends through them. */
export interface PoolComponents {
  lease: Lease;
  hosting: DeviceHost;
  dispatcher: Dispatcher;
  outbox: Outbox;
  draining: PoolDrain;
}

/** Joins the parts; the dispatcher looks at the outbox from now on. `url`: under which other processes reach the pool. */
export function createPoolComponents(options: PoolOptions, url: string): PoolComponents {
  const { db, leaseDb, network, notifications, encryption, logger, faultPoint, metrics, config } = options;
  const outbox = createOutbox({ db, notifications, faultPoint });
  const lease = createLease({
    db,
    leaseDb,
    url,
    capacity: config.capacity,
    leaseSeconds: config.leaseSeconds,
    logger,
    faultPoint,
    onTakenOver: (devices) => metrics.pool.takenOver.inc(devices),
    onLost: () => hosting.closeAll(),
  });
  const hosting = new DeviceHost({
    db,
    network,
    notifications,
    encryption,
    outbox,
    logger,
    faultPoint,
    poolId: lease.poolId,
    pairingTimeoutMs: config.pairingTimeoutMs ?? 180_000,
    openTimeoutMs: config.openTimeoutMs ?? 30_000,
    onEvent: (event) => metrics.pool.events.inc({ event }),
    onUp: (deviceId) => dispatcher.wake(deviceId),
  });
  const dispatcher = new Dispatcher({
    outbox,
    poolId: lease.poolId,
    getSession: (deviceId) => hosting.getSession(deviceId),
    onDisconnectedDevice: (deviceId) => hosting.prioritize(deviceId),
    logger,
    faultPoint,
    meters: metrics.pool,
    ackTimeoutMs: config.ackTimeoutMs ?? 15_000,
    pollMs: config.pollMs ?? 1000,
  });
  const draining = createPoolDrain({
    db,
    url,
    lease,
    hosting,
    dispatcher,
    notifications,
    logger,
    faultPoint,
  });
  return { lease, hosting, dispatcher, outbox, draining };
}
