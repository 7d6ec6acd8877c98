import type { MessagingNetwork, NetworkSession } from '../adapters/messaging-network/messaging-network.ts';
import { recordInbound } from '../conversations/inbound.ts';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { Outbox } from '../messages/outbox.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { Logger } from '../shared/logger.ts';
import { type HostedDevice, hostDevice } from './hosted-device.ts';
import { createSessionRecord } from './session-record.ts';
import { type HostedRow, type Ownership, selectStarted } from './session-state.queries.ts';
import { ownedStore } from './session-store.ts';

/** The devices this pool holds connected, kept in step with the rows. */
export interface Hosting {
  /** Compares sessions with rows, of all devices or of `ids`: opens what is missing, closes what has no reason to be. */
  reconcile(ids: readonly string[] | null): Promise<void>;
  /** Null while the device is not up here. */
  sessionOf(deviceId: string): NetworkSession | null;
  /** The devices that are up here. */
  connected(): string[];
  /** Closes every session; nothing is written. `reconcile` opens them again. */
  closeAll(): Promise<void>;
}

export interface HostingOptions {
  db: Database;
  network: Pick<MessagingNetwork, 'openSession'>;
  notifications: Pick<Notifications, 'publish'>;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  outbox: Pick<Outbox, 'receipt'>;
  logger: Logger;
  /** Null while no lease is held: nothing is opened then. */
  poolId(): string | null;
  pairingTimeoutMs: number;
  onUp(deviceId: string): void;
}

interface Hosted {
  epoch: number;
  poolId: string;
  device: HostedDevice;
}

/** Sessions opened at once and then per interval, so that a restart does not rush the network. */
const openedAtOnce = 25;
const openingIntervalMs = 100;

export function createHosting(options: HostingOptions): Hosting {
  const { db, notifications, logger } = options;
  const hosted = new Map<string, Hosted>();
  let work: Promise<void> = Promise.resolve();

  const open = (row: HostedRow, poolId: string) => {
    const owner: Ownership = { deviceId: row.id, teamId: row.team_id, poolId, epoch: row.epoch };
    const entry: Hosted = { epoch: row.epoch, poolId, device: host(owner, () => forget(row.id, entry)) };
    hosted.set(row.id, entry);
  };

  const forget = (deviceId: string, entry: Hosted) => {
    if (hosted.get(deviceId) === entry) hosted.delete(deviceId);
    // It may have been started anew in the meantime.
    notifications.publish('device-changed', deviceId);
  };

  const host = (owner: Ownership, onEnded: () => void): HostedDevice =>
    hostDevice({
      deviceId: owner.deviceId,
      network: options.network,
      store: ownedStore(options, owner),
      record: createSessionRecord(options, owner),
      pairingTimeoutMs: options.pairingTimeoutMs,
      logger,
      receive: async (message) => {
        const conversationId = await db.transaction().execute((tx) => recordInbound(tx, owner, message));
        if (conversationId !== null) notifications.publish('conversation-due', conversationId);
      },
      receipt: (receipt) => options.outbox.receipt(receipt),
      onUp: () => options.onUp(owner.deviceId),
      onEnded,
    });

  const close = async (deviceId: string, entry: Hosted) => {
    if (hosted.get(deviceId) === entry) hosted.delete(deviceId);
    await entry.device.close();
  };

  const compare = async (ids: readonly string[] | null): Promise<void> => {
    const poolId = options.poolId();
    if (poolId === null) return;
    const rows = new Map((await selectStarted(db, poolId, ids)).map((row) => [row.id, row]));
    const current = (entry: Hosted, row: HostedRow | undefined) =>
      row !== undefined && entry.epoch === row.epoch && entry.poolId === poolId;
    const looked = ids === null ? [...hosted.keys()] : ids;
    await Promise.all(
      looked.map(async (id) => {
        const entry = hosted.get(id);
        if (entry !== undefined && !current(entry, rows.get(id))) await close(id, entry);
      }),
    );
    let opened = 0;
    for (const row of rows.values()) {
      if (hosted.has(row.id)) continue;
      if (opened > 0 && opened % openedAtOnce === 0) await pause(openingIntervalMs);
      if (options.poolId() !== poolId) return;
      open(row, poolId);
      opened += 1;
    }
  };

  return {
    reconcile(ids) {
      const mine = work.then(() => compare(ids));
      // One comparison at a time; the next runs whatever became of this one.
      work = mine.catch(() => undefined);
      return mine;
    },
    sessionOf: (deviceId) => hosted.get(deviceId)?.device.session() ?? null,
    connected: () =>
      [...hosted].filter(([, { device }]) => device.session() !== null).map(([deviceId]) => deviceId),
    async closeAll() {
      await Promise.all([...hosted].map(([deviceId, entry]) => close(deviceId, entry)));
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
