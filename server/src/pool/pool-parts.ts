import type { MessagingNetwork } from '../adapters/messaging-network/messaging-network.ts';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { createOutbox, type Outbox } from '../messages/outbox.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { Dispatcher } from './dispatcher.ts';
import { createDraining, type Draining } from './draining.ts';
import { Hosting } from './hosting.ts';
import { createLease, type Lease } from './lease.ts';

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
export interface PoolParts {
  lease: Lease;
  hosting: Hosting;
  dispatcher: Dispatcher;
  outbox: Outbox;
  draining: Draining;
}

/** Joins the parts; the dispatcher looks at the outbox from now on. `url`: under which other processes reach the pool. */
export function joinParts(options: PoolOptions, url: string): PoolParts {
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
  const hosting = new Hosting({
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
    sessionOf: (deviceId) => hosting.sessionOf(deviceId),
    onMissed: (deviceId) => hosting.hasten(deviceId),
    logger,
    faultPoint,
    meters: metrics.pool,
    ackTimeoutMs: config.ackTimeoutMs ?? 15_000,
    pollMs: config.pollMs ?? 1000,
  });
  const draining = createDraining({ db, url, lease, hosting, dispatcher, notifications, logger, faultPoint });
  return { lease, hosting, dispatcher, outbox, draining };
}
