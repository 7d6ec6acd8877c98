import type {
  InboundMessage,
  MessagingNetwork,
  NetworkSession,
} from '../adapters/messaging-network/messaging-network.ts';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { type HostedRow, type Ownership, selectStarted } from '../devices/session-state.sql.ts';
import type { Outbox } from '../messages/outbox.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { type ConnectRate, createConnectThrottle } from './connect-throttle.ts';
import { createConnectedBatcher } from './connected-batcher.ts';
import { HostedDevice, type SessionEvent, type SessionState } from './hosted-device.ts';
import { createInboundRecorder, type InboundRecorder } from './inbound-recorder.ts';
import { createSessionEntryLoader } from './session-entry-loader.ts';
import { createSessionRecord, type SessionRecordDeps } from './session-record.ts';
import { createOwnedStore, type StoreDeps } from './session-store.ts';

export interface DeviceHostOptions {
  db: Database;
  network: Pick<MessagingNetwork, 'openSession'>;
  notifications: Pick<Notifications, 'publish'>;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  outbox: Pick<Outbox, 'receipt'>;
  logger: Logger;
  faultPoint: FaultPoint;
  /** Null while no lease is held: nothing is opened then. */
  poolId(): string | null;
  pairingTimeoutMs: number;
  openTimeoutMs: number;
  onEvent(event: SessionEvent): void;
  onUp(deviceId: string): void;
}

interface Hosted {
  epoch: number;
  poolId: string;
  device: HostedDevice;
}

/** 250 sessions a second: those of 10,000 devices are back after forty. */
const pace: ConnectRate = { atOnce: 50, burst: 25, group: 10, everyMs: 40 };

/** The devices this pool holds connected, kept in step with the rows. */
export class DeviceHost {
  readonly #options: DeviceHostOptions;
  readonly #hosted = new Map<string, Hosted>();
  readonly #openings = createConnectThrottle(pace);
  /** Devices that are being given to another pool. */
  readonly #leaving = new Set<string>();
  readonly #recordDeps: SessionRecordDeps;
  readonly #storeDeps: StoreDeps;
  readonly #receiving: InboundRecorder;
  #comparing: Promise<void> = Promise.resolve();

  constructor(options: DeviceHostOptions) {
    this.#options = options;
    const { db, notifications, encryption, faultPoint } = options;
    this.#receiving = createInboundRecorder(options);
    this.#recordDeps = { arrivals: createConnectedBatcher(options), db, notifications, faultPoint };
    this.#storeDeps = { readEntries: createSessionEntryLoader(options), db, encryption, faultPoint };
  }

  /** Compares sessions with rows, of all devices or of `ids`: opens what is missing, closes what has no reason to be. */
  reconcile(ids: readonly string[] | null): Promise<void> {
    const mine = this.#comparing.then(() => this.#compare(ids));
    // One comparison at a time; the next runs whatever became of this one.
    this.#comparing = mine.catch(() => undefined);
    return mine;
  }

  /** Null while the device is not up here, or no lease is held for it. */
  getSession(deviceId: string): NetworkSession | null {
    const hosted = this.#hosted.get(deviceId);
    return hosted?.poolId === this.#options.poolId() ? hosted.device.session() : null;
  }

  /** Something is to be sent for the device: where it is not up yet, it comes before others. */
  prioritize(deviceId: string): void {
    this.#hosted.get(deviceId)?.device.prioritize();
  }

  /** How many devices are in which state. */
  countByState(): Record<SessionState, number> {
    const states = { waiting: 0, opening: 0, pairing: 0, up: 0 };
    for (const { device } of this.#hosted.values()) states[device.state()] += 1;
    return states;
  }

  /** Closes every session; nothing is written. `reconcile` opens them again. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#hosted].map(([deviceId, entry]) => this.#close(deviceId, entry)));
  }

  /** Closes the sessions of these devices, and opens none until `takeBack`. */
  async letGo(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#leaving.add(deviceId);
    const closing = deviceIds.map(async (deviceId) => {
      const entry = this.#hosted.get(deviceId);
      if (entry !== undefined) await this.#close(deviceId, entry);
    });
    await Promise.all(closing);
  }

  /** Opens those again that are still here. */
  takeBack(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#leaving.delete(deviceId);
    return this.reconcile(deviceIds);
  }

  async #compare(ids: readonly string[] | null): Promise<void> {
    const poolId = this.#options.poolId();
    if (poolId === null) return;
    const started = await selectStarted(this.#options.db, poolId, ids);
    await this.#closeOthers(ids ?? [...this.#hosted.keys()], started, poolId);
    if (this.#options.poolId() !== poolId) return;
    for (const row of started) {
      // Of a device that is asked for by itself, somebody waits for the connection.
      if (!this.#hosted.has(row.id) && !this.#leaving.has(row.id)) this.#open(row, poolId, ids !== null);
    }
  }

  /** Of `ids`, closes those that are not started, or were started anew since their session began. */
  async #closeOthers(ids: readonly string[], started: readonly HostedRow[], poolId: string): Promise<void> {
    const epochs = new Map(started.map(({ id, epoch }) => [id, epoch]));
    const closing = ids.map(async (id) => {
      const entry = this.#hosted.get(id);
      if (entry === undefined) return;
      if (entry.poolId !== poolId || entry.epoch !== epochs.get(id)) await this.#close(id, entry);
    });
    await Promise.all(closing);
  }

  #open({ id, team_id: teamId, epoch }: HostedRow, poolId: string, soon: boolean): void {
    const owner = { deviceId: id, teamId, poolId, epoch };
    const device = this.#host(owner, soon, () => this.#forget(id, entry));
    const entry: Hosted = { epoch, poolId, device };
    this.#hosted.set(id, entry);
  }

  #host(owner: Ownership, soon: boolean, onEnded: () => void): HostedDevice {
    const { network, logger, outbox, pairingTimeoutMs, openTimeoutMs, onEvent, onUp, faultPoint } =
      this.#options;
    return new HostedDevice({
      owner,
      network,
      store: createOwnedStore(this.#storeDeps, owner),
      record: createSessionRecord(this.#recordDeps, owner),
      throttle: this.#openings,
      prioritized: soon,
      openTimeoutMs,
      pairingTimeoutMs,
      onEvent,
      logger,
      receive: (message) => this.#receive(owner, message),
      receipt: async (receipt) => {
        await outbox.receipt(receipt);
        faultPoint('receipt.after_commit');
      },
      onUp: () => onUp(owner.deviceId),
      onEnded,
    });
  }

  async #receive(owner: Ownership, message: InboundMessage): Promise<void> {
    const { notifications, faultPoint } = this.#options;
    const conversationId = await this.#receiving.record(owner, message);
    faultPoint('inbound.after_commit');
    if (conversationId !== null) notifications.publish('conversation-due', conversationId);
  }

  #forget(deviceId: string, entry: Hosted): void {
    if (this.#hosted.get(deviceId) === entry) this.#hosted.delete(deviceId);
    // It may have been started anew in the meantime.
    this.#options.notifications.publish('device-changed', deviceId);
  }

  async #close(deviceId: string, entry: Hosted): Promise<void> {
    if (this.#hosted.get(deviceId) === entry) this.#hosted.delete(deviceId);
    await entry.device.close();
  }
}
