import { createContacts } from '../chat/conversations/contact-directory.ts';
import type { MediaFiles } from '../chat/messages/media-files.ts';
import type { Outbox } from '../chat/messages/outbox.ts';
import { type HostedRow, type Ownership, selectStarted } from '../devices/session-state.sql.ts';
import { recordTemplates } from '../devices/templates.ts';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { Encryption, KeyedHash } from '../platform/shared/encryption.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import { createGroupedRetries } from '../platform/shared/grouped-retries.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { OpenedNetworks } from '../ports/messaging-network/create-messaging-network.ts';
import type { InboundMessage, NetworkSession } from '../ports/messaging-network/messaging-network.ts';
import { type ConnectPriority, type ConnectRate, createConnectThrottle } from './connect-throttle.ts';
import { createConnectedBatcher } from './connected-batcher.ts';
import {
  HostedDevice,
  type HostedDeviceOptions,
  type SessionEvent,
  type SessionState,
  type SessionTimeouts,
} from './hosted-device.ts';
import type { InboundRates } from './inbound-budget.ts';
import { createInboundRecorder, type InboundRecorder } from './inbound-recorder.ts';
import { createSessionEntryLoader } from './session-entry-loader.ts';
import { createSessionEntryWriter } from './session-entry-writer.ts';
import { createSessionRecord, type SessionRecordDeps } from './session-record.ts';
import { createOwnedStore, type StoreDeps } from './session-store.ts';

export interface DeviceHostOptions {
  db: Database;
  network: Pick<OpenedNetworks, 'openSession'>;
  notifications: Pick<Notifications, 'publish'>;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  outbox: Pick<Outbox, 'recordReceipt' | 'findSent'>;
  keyedHash: KeyedHash;
  mediaFiles: MediaFiles;
  logger: Logger;
  /** Returns null while the pool has no lease. No session opens then. */
  poolId(): string | null;
  timeouts: SessionTimeouts;
  rates: InboundRates;
  onEvent(event: SessionEvent): void;
  onUp(deviceId: string): void;
}

interface Hosted {
  epoch: number;
  poolId: string;
  device: HostedDevice;
}

/** 250 sessions a second: 10,000 devices reconnect in 40 seconds. */
const pace: ConnectRate = { maxOpening: 50, burst: 25, batchSize: 10, everyMs: 40 };

export class DeviceHost {
  readonly #options: DeviceHostOptions;
  readonly #hosted = new Map<string, Hosted>();
  readonly #throttle = createConnectThrottle(pace);
  readonly #suspended = new Set<string>();
  readonly #recordDeps: SessionRecordDeps;
  readonly #storeDeps: StoreDeps;
  readonly #recorder: InboundRecorder;
  #reconciling: Promise<void> = Promise.resolve();

  constructor(options: DeviceHostOptions) {
    this.#options = options;
    const { db, notifications, encryption } = options;
    this.#recorder = createInboundRecorder(options);
    const retries = createGroupedRetries();
    this.#recordDeps = { batcher: createConnectedBatcher(options), db, notifications, retries };
    const readEntries = createSessionEntryLoader(options);
    const writeEntries = createSessionEntryWriter({ ...options, retries });
    this.#storeDeps = { readEntries, writeEntries, encryption };
  }

  /** Opens missing sessions and closes superfluous ones, of all devices or of `ids`. */
  reconcile(ids: readonly string[] | null): Promise<void> {
    const run = this.#reconciling.then(() => this.#reconcileNow(ids));
    this.#reconciling = run.catch(() => undefined);
    return run;
  }

  /** Returns null while the device is not connected here, or its lease is not held. */
  getSession(deviceId: string): NetworkSession | null {
    const hosted = this.#hosted.get(deviceId);
    return hosted?.poolId === this.#options.poolId() ? hosted.device.session() : null;
  }

  prioritize(deviceId: string): void {
    this.#hosted.get(deviceId)?.device.prioritize();
  }

  countByState(): Record<SessionState, number> {
    const states = { waiting: 0, opening: 0, pairing: 0, up: 0 };
    for (const { device } of this.#hosted.values()) states[device.state()] += 1;
    return states;
  }

  /** Closes all sessions without writing rows. `reconcile` opens them again. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#hosted].map(([deviceId, entry]) => this.#close(deviceId, entry)));
  }

  /** Closes the sessions of these devices and opens none until `resume`. */
  async suspend(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#suspended.add(deviceId);
    const closing = deviceIds.map(async (deviceId) => {
      const entry = this.#hosted.get(deviceId);
      if (entry !== undefined) await this.#close(deviceId, entry);
    });
    await Promise.all(closing);
  }

  /** Opens the sessions of those devices that this pool still owns. */
  resume(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#suspended.delete(deviceId);
    return this.reconcile(deviceIds);
  }

  async #reconcileNow(ids: readonly string[] | null): Promise<void> {
    const poolId = this.#options.poolId();
    if (poolId === null) return;
    const started = await selectStarted(this.#options.db, poolId, ids);
    await this.#closeOutdated(ids ?? [...this.#hosted.keys()], started, poolId);
    if (this.#options.poolId() !== poolId) return;
    for (const row of started) {
      // A caller that names devices waits for their connections.
      const priority = ids === null ? 'normal' : 'high';
      if (!this.#hosted.has(row.id) && !this.#suspended.has(row.id)) this.#open(row, poolId, priority);
    }
  }

  async #closeOutdated(ids: readonly string[], started: readonly HostedRow[], poolId: string): Promise<void> {
    const epochs = new Map(started.map(({ id, epoch }) => [id, epoch]));
    const closing = ids.map(async (id) => {
      const entry = this.#hosted.get(id);
      if (entry === undefined) return;
      if (entry.poolId !== poolId || entry.epoch !== epochs.get(id)) await this.#close(id, entry);
    });
    await Promise.all(closing);
  }

  #open(row: HostedRow, poolId: string, priority: ConnectPriority): void {
    const { id, team_id: teamId, epoch, network, pairing_phone_number: pairingPhoneNumber } = row;
    const owner = { deviceId: id, teamId, poolId, epoch };
    const device = this.#host(owner, {
      priority,
      network,
      pairingPhoneNumber,
      onEnded: () => this.#forget(id, entry),
    });
    const entry: Hosted = { epoch, poolId, device };
    this.#hosted.set(id, entry);
  }

  #host(
    owner: Ownership,
    {
      priority,
      network,
      pairingPhoneNumber,
      onEnded,
    }: Pick<HostedDeviceOptions, 'priority' | 'onEnded'> & {
      network: string | null;
      pairingPhoneNumber: string | null;
    },
  ): HostedDevice {
    const { network: networks, logger, outbox, timeouts, onEvent, onUp } = this.#options;
    const { deviceId } = owner;
    const store = createOwnedStore(this.#storeDeps, owner);
    const contacts = createContacts(this.#recordDeps, owner);
    return new HostedDevice({
      owner,
      openSession: (events) =>
        networks.openSession({
          deviceId,
          network,
          store,
          contacts,
          events,
          pairingPhoneNumber,
          findSent: (networkId) => outbox.findSent(deviceId, networkId),
        }),
      record: createSessionRecord(this.#recordDeps, owner),
      throttle: this.#throttle,
      priority,
      timeouts,
      handlers: {
        inbound: (message) => this.#recordInbound(owner, message),
        templates: (all) => recordTemplates(this.#options.db, owner, all),
        receipt: async (receipt) => {
          await outbox.recordReceipt(owner, receipt);
          faultPoint('receipt.after_commit');
        },
      },
      logger,
      onEvent,
      onUp: () => onUp(deviceId),
      onEnded,
    });
  }

  async #recordInbound(owner: Ownership, message: InboundMessage): Promise<void> {
    const { notifications } = this.#options;
    const conversationId = await this.#recorder.record(owner, message);
    faultPoint('inbound.after_commit');
    if (conversationId !== null) notifications.publish('conversation-due', conversationId);
  }

  #forget(deviceId: string, entry: Hosted): void {
    if (this.#hosted.get(deviceId) === entry) this.#hosted.delete(deviceId);
    // The device may have been started again.
    this.#options.notifications.publish('device-changed', deviceId);
  }

  async #close(deviceId: string, entry: Hosted): Promise<void> {
    if (this.#hosted.get(deviceId) === entry) this.#hosted.delete(deviceId);
    await entry.device.close();
  }
}
