import { createMediaFiles } from '../chat/messages/media-files.ts';
import { createOutbox, type Outbox } from '../chat/messages/outbox.ts';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { Keyring } from '../platform/keyring/keyring.ts';
import type { Exposition } from '../platform/metrics/exposition.ts';
import type { Clock } from '../platform/shared/clock.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import type { Hosts } from '../platform/shared/hosts.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { RecordSpan } from '../platform/telemetry/spans.ts';
import type { FileStore } from '../ports/file-store/file-store.ts';
import type { OpenedNetworks } from '../ports/messaging-network/create-messaging-network.ts';
import type { MessagePrices } from '../tenancy/usage/message-prices.ts';
import { DeviceHost } from './device-host.ts';
import { Dispatcher } from './dispatcher.ts';
import { type InboundRates, unlimited } from './inbound-budget.ts';
import { createInboxReader, type InboxReader } from './inbox-reader.ts';
import { createLease, type Lease } from './lease.ts';
import { createPoolDrain, type PoolDrain } from './pool-drain.ts';
import type { PoolMeters } from './pool-metrics.ts';

export interface PoolOptions {
  db: Database;
  /** Has a connection of its own, so that busy connections never delay the renewal of the lease. */
  leaseDb: Database;
  network: Pick<OpenedNetworks, 'openSession'>;
  fileStore: Pick<FileStore, 'put' | 'get'>;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  encryption: Pick<Encryption, 'seal' | 'open' | 'keyedHashes'>;
  deviceTokens: Keyring['deviceTokens'];
  logger: Logger;
  metrics: { pool: PoolMeters; expose: Exposition };
  recordSpan: RecordSpan;
  hosts: Hosts;
  clock: Pick<Clock, 'now'>;
  messagePrices: MessagePrices;
  config: {
    host: string;
    port: number;
    /** The address for other processes; null for the address that it listens on. */
    url: string | null;
    capacity: number;
    leaseSeconds: number;
    /** Default: unlimited. */
    inboundRates?: InboundRates;
    pairingTimeoutMs?: number;
    openTimeoutMs?: number;
    ackTimeoutMs?: number;
    pollMs?: number;
    /** Average pause between two messages of a device. Default: 0. */
    pauseMs?: number;
  };
}

export interface PoolComponents {
  lease: Lease;
  host: DeviceHost;
  dispatcher: Dispatcher;
  outbox: Outbox;
  drain: PoolDrain;
  inbox: InboxReader;
}

export function createPoolComponents(options: PoolOptions, url: string): PoolComponents {
  const { db, leaseDb, network, fileStore, notifications, encryption, logger, metrics, config } = options;
  const outbox = createOutbox({
    db,
    fileStore,
    notifications,
    logger,
    clock: options.clock,
    messagePrices: options.messagePrices,
  });
  const lease = createLease({
    db,
    leaseDb,
    url,
    capacity: config.capacity,
    leaseSeconds: config.leaseSeconds,
    logger,
    onTakeover: (devices) => metrics.pool.takenOver.inc(devices),
    onLost: () => host.closeAll(),
  });
  const host = new DeviceHost({
    db,
    keyedHash: options.deviceTokens.keyedHash,
    network,
    notifications,
    encryption,
    outbox,
    mediaFiles: createMediaFiles({ db, fileStore, logger }),
    logger,
    poolId: lease.poolId,
    timeouts: {
      openMs: config.openTimeoutMs ?? 30_000,
      pairingMs: config.pairingTimeoutMs ?? 180_000,
    },
    rates: config.inboundRates ?? unlimited,
    onEvent: (event) => metrics.pool.events.inc({ event }),
    onUp: (deviceId) => {
      dispatcher.wake(deviceId);
      inbox.wake(deviceId);
    },
  });
  const dispatcher = new Dispatcher({
    outbox,
    poolId: lease.poolId,
    getSession: (deviceId) => host.getSession(deviceId),
    onDisconnectedDevice: (deviceId) => host.prioritize(deviceId),
    logger,
    meters: metrics.pool,
    recordSpan: options.recordSpan,
    ackTimeoutMs: config.ackTimeoutMs ?? 15_000,
    pollMs: config.pollMs ?? 1000,
    pauseMs: config.pauseMs ?? 0,
  });
  const inbox = createInboxReader({ db, getSession: (deviceId) => host.getSession(deviceId), logger });
  const drain = createPoolDrain({ db, url, lease, host, dispatcher, notifications, logger });
  return { lease, host, dispatcher, outbox, drain, inbox };
}
