import { type NetworkSession, SendRefused } from '../adapters/messaging-network/messaging-network.ts';
import type { DeliveryAttempt } from '../messages/delivery-attempt.ts';
import type { Outbox } from '../messages/outbox.ts';
import type { PoolMeters } from '../metrics/pool-metrics.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';

export interface DispatcherOptions {
  outbox: Outbox;
  poolId(): string | null;
  getSession(deviceId: string): NetworkSession | null;
  /** Something is to be sent for a device that is not up. */
  onDisconnectedDevice(deviceId: string): void;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  faultPoint: FaultPoint;
  meters: Pick<PoolMeters, 'sends' | 'claims'>;
  /** How long a hand-off waits for the network's acknowledgement; below the time it is claimed for. */
  ackTimeoutMs: number;
  /** How often the outbox is looked at without being told to. */
  pollMs: number;
}

/** Hand-offs under way for one device. */
const perDevice = 64;
/** Wake-ups that come this close together make one claim. */
const gatherMs = 2;
/** Devices that one claim is for, so that none takes long; the others make the next. */
const devicesAtOnce = 500;

/** Hands what the outbox holds for this pool's devices to the network. Begins at once. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #woken = new Set<string>();
  readonly #underWay = new Map<string, Set<Promise<void>>>();
  /** Devices with more to send once something of theirs is settled: the next of a chat waits for the one before. */
  readonly #again = new Set<string>();
  readonly #retries = new Set<NodeJS.Timeout>();
  /** Devices for which nothing is begun. */
  readonly #held = new Set<string>();
  readonly #poll: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  #gathering: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | null = null;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#poll = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
    }, options.pollMs);
  }

  /** There may be something to send for this device. Whether it is up here. */
  wake(deviceId: string): boolean {
    if (this.#stopped || this.#held.has(deviceId)) return false;
    if (this.#options.getSession(deviceId) === null) {
      this.#options.onDisconnectedDevice(deviceId);
      return false;
    }
    this.#woken.add(deviceId);
    this.#gather();
    return true;
  }

  /** Begins nothing for these devices until `release`; resolves when nothing is under way for them. */
  async hold(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#held.add(deviceId);
    await this.#claiming;
    await Promise.all(deviceIds.flatMap((deviceId) => [...(this.#underWay.get(deviceId) ?? [])]));
  }

  release(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#held.delete(deviceId);
  }

  /** Begins nothing any more. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#gathering);
    for (const timer of this.#retries) clearTimeout(timer);
  }

  /** Waits for what is under way, and for what was just being claimed for it. */
  async waitUntilIdle(): Promise<void> {
    await this.#claiming;
    await Promise.all([...this.#underWay.values()].flatMap((own) => [...own]));
  }

  async #look(): Promise<void> {
    const { outbox, logger } = this.#options;
    const poolId = this.#options.poolId();
    if (poolId === null) return;
    try {
      for (const deviceId of await outbox.listDueDevices(poolId)) this.wake(deviceId);
    } catch (error) {
      logger.error({ err: error }, 'the outbox could not be looked at; it is looked at again soon');
    }
  }

  #gather(): void {
    if (this.#claiming !== null || this.#woken.size === 0) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#claiming = this.#claim().finally(() => {
        this.#claiming = null;
        this.#gather();
      });
    }, gatherMs);
  }

  async #claim(): Promise<void> {
    const { outbox, logger, faultPoint } = this.#options;
    const poolId = this.#options.poolId();
    const devices = this.#takeWoken();
    if (this.#stopped || poolId === null) return;
    try {
      const handOffs = await outbox.claim(poolId, devices);
      // They are free for whoever owns the devices now.
      if (this.#options.poolId() !== poolId) return;
      if (handOffs.length > 0) faultPoint('outbox.after_claim');
      for (const handOff of handOffs) this.#begin(handOff);
    } catch (error) {
      logger.error({ err: error }, 'the outbox could not be read; it is looked at again soon');
    }
  }

  /** The devices to claim for, each with how many more hand-offs it may have. */
  #takeWoken(): { deviceId: string; room: number }[] {
    const woken = [...this.#woken].slice(0, devicesAtOnce);
    for (const deviceId of woken) this.#woken.delete(deviceId);
    const taken = woken
      .filter((deviceId) => !this.#held.has(deviceId))
      .map((deviceId) => ({
        deviceId,
        busy: this.#underWay.get(deviceId)?.size ?? 0,
      }));
    for (const { deviceId, busy } of taken) if (busy > 0) this.#again.add(deviceId);
    return taken
      .filter(({ busy }) => busy < perDevice)
      .map(({ deviceId, busy }) => ({ deviceId, room: perDevice - busy }));
  }

  #begin(handOff: DeliveryAttempt): void {
    const { deviceId, messageId, teamId, more } = handOff;
    const own = this.#underWay.get(deviceId) ?? new Set();
    this.#underWay.set(deviceId, own);
    if (more) this.#again.add(deviceId);
    const sending = this.#send(handOff)
      .catch((error: unknown) =>
        this.#options.logger.error(
          { err: error, messageId, deviceId, teamId },
          'a hand-off could not be settled',
        ),
      )
      .finally(() => {
        own.delete(sending);
        if (own.size === 0) this.#underWay.delete(deviceId);
        if (this.#again.delete(deviceId)) this.wake(deviceId);
      });
    own.add(sending);
  }

  async #send(handOff: DeliveryAttempt): Promise<void> {
    const { outbox, faultPoint, logger, meters } = this.#options;
    const { messageId, deviceId, teamId, attempts } = handOff;
    meters.claims.inc({ kind: attempts === 1 ? 'first' : 'again' });
    const poolId = this.#options.poolId();
    const outcome = await this.#deliver(handOff);
    faultPoint('outbox.after_wire');
    // What is not known is for the next owner to find out.
    if (outcome === 'unknown' && this.#options.poolId() !== poolId) return;
    meters.sends.inc({ outcome });
    logger.info({ messageId, deviceId, teamId, attempts, outcome }, 'a message was handed off');
    switch (outcome) {
      case 'sent':
        return outbox.recordSent(handOff);
      case 'unknown':
        return this.#retry(handOff);
      default:
        return outbox.recordRefused(handOff, outcome);
    }
  }

  async #retry(handOff: DeliveryAttempt): Promise<void> {
    const seconds = await this.#options.outbox.scheduleRetry(handOff);
    if (seconds === null || this.#stopped) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.wake(handOff.deviceId);
    }, seconds * 1000);
    this.#retries.add(timer);
  }

  /** Gives the parts to the network one after the other. What comes after the first changes nothing about its outcome. */
  async #deliver({ deviceId, messageId, parts }: DeliveryAttempt): Promise<Outcome> {
    const { getSession: sessionOf, ackTimeoutMs, logger } = this.#options;
    for (const [index, part] of parts.entries()) {
      const session = sessionOf(deviceId);
      if (session === null) return 'unknown';
      try {
        await session.send(part, AbortSignal.timeout(ackTimeoutMs));
      } catch (error) {
        if (!(error instanceof SendRefused)) return 'unknown';
        if (index === 0) return error.reason;
        logger.warn(
          { messageId, deviceId, part: index + 1 },
          'the network took a message but refused a part of it',
        );
      }
    }
    return 'sent';
  }
}

type Outcome = 'sent' | 'unknown' | SendRefused['reason'];
