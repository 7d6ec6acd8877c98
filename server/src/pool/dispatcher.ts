import type { DeliveryAttempt } from '../chat/messages/delivery-attempt.ts';
import type { ClaimRoom, Outbox } from '../chat/messages/outbox.ts';
import { withDeadline } from '../platform/shared/deadline.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { RecordSpan } from '../platform/telemetry/spans.ts';
import {
  type NetworkSession,
  type OutboundMessage,
  SendPostponed,
  SendRefused,
} from '../ports/messaging-network/messaging-network.ts';
import type { PoolMeters } from './pool-metrics.ts';

export interface DispatcherOptions {
  outbox: Outbox;
  poolId(): string | null;
  getSession(deviceId: string): NetworkSession | null;
  onDisconnectedDevice(deviceId: string): void;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  meters: Pick<PoolMeters, 'sends' | 'claims'>;
  recordSpan: RecordSpan;
  /** Timeout for the network's acknowledgement. Must be below the duration of a claim. */
  ackTimeoutMs: number;
  pollMs: number;
  /** Average pause between two messages of a device. Default: 0. */
  pauseMs?: number;
}

const maxAttemptsPerDevice = 64;
/** Each holds up to 10 MiB in memory until the network has acknowledged it. */
const maxMediaPerDevice = 4;
const maxDevicesPerClaim = 500;
/** Leaves time for the network's acknowledgement within the claim. */
const loadTimeoutMs = 8_000;

/** Sends messages from the outbox for this pool's devices. Starts polling at once. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #woken = new Set<string>();
  readonly #attempts = new Map<string, Map<Promise<void>, DeliveryAttempt>>();
  /** Devices to wake once one of their attempts settles: the next message of a chat waits for the one before. */
  readonly #wakeAfterAttempt = new Set<string>();
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #held = new Set<string>();
  /** Devices that pause, or send one message before a pause. */
  readonly #paced = new Set<string>();
  readonly #pollTimer: NodeJS.Timeout;
  #polling: Promise<void> | null = null;
  #claimTimer: NodeJS.Immediate | undefined;
  #claiming: Promise<void> | null = null;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#pollTimer = setInterval(() => {
      this.#polling ??= this.#pollOutbox().finally(() => {
        this.#polling = null;
      });
    }, options.pollMs);
  }

  /** Sends the device's due messages soon. Returns false when the device is not connected to this pool. */
  wake(deviceId: string): boolean {
    if (this.#stopped || this.#held.has(deviceId)) return false;
    if (this.#options.getSession(deviceId) === null) {
      this.#options.onDisconnectedDevice(deviceId);
      return false;
    }
    this.#woken.add(deviceId);
    this.#scheduleClaim();
    return true;
  }

  /** Starts no attempts for these devices until `release`. Resolves when their running attempts have settled. */
  async hold(deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) this.#held.add(deviceId);
    await this.#claiming;
    await Promise.all(deviceIds.flatMap((deviceId) => [...(this.#attempts.get(deviceId)?.keys() ?? [])]));
  }

  release(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#held.delete(deviceId);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#pollTimer);
    clearImmediate(this.#claimTimer);
    for (const timer of this.#retries) clearTimeout(timer);
  }

  async waitUntilIdle(): Promise<void> {
    await this.#claiming;
    await Promise.all([...this.#attempts.values()].flatMap((own) => [...own.keys()]));
  }

  async #pollOutbox(): Promise<void> {
    const { outbox, logger } = this.#options;
    const poolId = this.#options.poolId();
    if (poolId === null) return;
    try {
      for (const deviceId of await outbox.listDueDevices(poolId)) this.wake(deviceId);
    } catch (error) {
      logger.error({ err: error }, 'the outbox could not be polled; retrying');
    }
  }

  /** Wake-ups of one turn of the event loop, and those during a claim, share the next claim. */
  #scheduleClaim(): void {
    if (this.#claiming !== null || this.#woken.size === 0) return;
    this.#claimTimer ??= setImmediate(() => {
      this.#claimTimer = undefined;
      this.#claiming = this.#claim().finally(() => {
        this.#claiming = null;
        this.#scheduleClaim();
      });
    });
  }

  async #claim(): Promise<void> {
    const { outbox, logger } = this.#options;
    const poolId = this.#options.poolId();
    const devices = this.#takeWoken();
    if (this.#stopped || poolId === null) return;
    try {
      const attempts = await outbox.claim(poolId, devices);
      // The lease was lost. The next owner of the devices may claim these messages.
      if (this.#options.poolId() !== poolId) return;
      if (attempts.length > 0) faultPoint('outbox.after_claim');
      for (const attempt of attempts) this.#start(attempt);
    } catch (error) {
      logger.error({ err: error }, 'messages could not be claimed from the outbox; retrying');
    }
  }

  #takeWoken(): ClaimRoom[] {
    const maxAttempts = this.#pauses() ? 1 : maxAttemptsPerDevice;
    const woken = [...this.#woken].slice(0, maxDevicesPerClaim);
    for (const deviceId of woken) this.#woken.delete(deviceId);
    const taken = woken
      .filter((deviceId) => !this.#held.has(deviceId) && !this.#paced.has(deviceId))
      .map((deviceId) => {
        const running = [...(this.#attempts.get(deviceId)?.values() ?? [])];
        return { deviceId, busy: running.length, media: running.filter(hasMedia).length };
      });
    for (const { deviceId, busy } of taken) if (busy > 0) this.#wakeAfterAttempt.add(deviceId);
    return taken
      .filter(({ busy }) => busy < maxAttempts)
      .map(({ deviceId, busy, media }) => ({
        deviceId,
        room: maxAttempts - busy,
        mediaRoom: maxMediaPerDevice - media,
      }));
  }

  #start(attempt: DeliveryAttempt): void {
    const { deviceId, messageId, teamId, requestId: reqId, hasMore } = attempt;
    const running = this.#attempts.get(deviceId) ?? new Map<Promise<void>, DeliveryAttempt>();
    this.#attempts.set(deviceId, running);
    if (hasMore) this.#wakeAfterAttempt.add(deviceId);
    const sending = this.#run(attempt)
      .catch((error: unknown) =>
        this.#options.logger.error(
          { reqId, err: error, messageId, deviceId, teamId },
          'the result of a delivery attempt could not be stored',
        ),
      )
      .finally(() => {
        running.delete(sending);
        if (this.#pauses()) this.#pause(deviceId);
        if (running.size === 0) this.#attempts.delete(deviceId);
        if (this.#wakeAfterAttempt.delete(deviceId)) this.wake(deviceId);
      });
    running.set(sending, attempt);
    if (this.#pauses()) this.#paced.add(deviceId);
  }

  #pauses(): boolean {
    return (this.#options.pauseMs ?? 0) > 0;
  }

  /** People do not write at equal intervals. */
  #pause(deviceId: string): void {
    const pauseMs = (this.#options.pauseMs ?? 0) * (0.5 + Math.random());
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#paced.delete(deviceId);
      this.wake(deviceId);
    }, pauseMs);
    this.#retries.add(timer);
  }

  /** Returns null after the file store failed. */
  async #load(attempt: DeliveryAttempt): Promise<OutboundMessage[] | null> {
    const { outbox, logger } = this.#options;
    const { requestId: reqId, messageId, deviceId, teamId, parts } = attempt;
    if (parts.every(({ fileKey }) => fileKey === undefined)) return parts;
    try {
      return await withDeadline(loadTimeoutMs, () => outbox.load(attempt));
    } catch (error) {
      logger.warn(
        { reqId, err: error, messageId, deviceId, teamId },
        'the file of a message could not be read; retrying',
      );
      return null;
    }
  }

  async #run(attempt: DeliveryAttempt): Promise<void> {
    const { outbox, logger, meters } = this.#options;
    const { requestId: reqId, messageId, deviceId, teamId, attempts } = attempt;
    meters.claims.inc({ kind: attempts === 1 ? 'first' : 'again' });
    const poolId = this.#options.poolId();
    const startedAt = Date.now();
    const parts = await this.#load(attempt);
    if (parts === null) return outbox.recordUnread(attempt);
    const { outcome, externalId, seconds = 0, code = null } = await this.#deliver(attempt, parts);
    faultPoint('outbox.after_wire');
    // After a lost lease the next owner of the device retries an unknown outcome.
    if (outcome === 'unknown' && this.#options.poolId() !== poolId) return;
    meters.sends.inc({ outcome });
    logger.info({ reqId, messageId, deviceId, teamId, attempts, outcome }, 'a delivery attempt ended');
    this.#recordSpan(attempt, outcome, startedAt);
    switch (outcome) {
      case 'sent':
        return outbox.recordSent(attempt, externalId);
      case 'postponed':
        return this.#wakeLater(attempt.deviceId, await outbox.recordPostponed(attempt, seconds));
      case 'unknown':
        return this.#retry(attempt);
      default:
        return outbox.recordRefused(attempt, outcome, code);
    }
  }

  #recordSpan(
    { requestId, messageId, ...attempt }: DeliveryAttempt,
    outcome: Outcome,
    startedAt: number,
  ): void {
    this.#options.recordSpan({
      name: 'deliver message',
      requestId: requestId ?? messageId,
      kind: 'client',
      startedAt,
      failed: outcome !== 'sent',
      attributes: {
        'parley.message_id': messageId,
        'parley.device_id': attempt.deviceId,
        'parley.team_id': attempt.teamId,
        'parley.attempts': attempt.attempts,
        'parley.outcome': outcome,
      },
    });
  }

  async #retry(attempt: DeliveryAttempt): Promise<void> {
    const seconds = await this.#options.outbox.scheduleRetry(attempt);
    if (seconds !== null) this.#wakeLater(attempt.deviceId, seconds);
  }

  #wakeLater(deviceId: string, seconds: number): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.wake(deviceId);
    }, seconds * 1000);
    this.#retries.add(timer);
  }

  /** Sends the parts in order. The first part decides the outcome, and its id is that of the message. */
  async #deliver(
    { requestId: reqId, deviceId, messageId, sendsOnce }: DeliveryAttempt,
    parts: readonly OutboundMessage[],
  ): Promise<{ outcome: Outcome; externalId: string | null; seconds?: number; code?: number | null }> {
    let externalId: string | null = null;
    const { getSession, ackTimeoutMs, logger } = this.#options;
    for (const [index, part] of parts.entries()) {
      const session = getSession(deviceId);
      if (session === null)
        return index === 0 && sendsOnce
          ? { outcome: 'postponed', externalId, seconds: 2 }
          : { outcome: 'unknown', externalId };
      try {
        // `AbortSignal.timeout` would keep its timer for the whole time after every acknowledged message.
        const id = await withDeadline(ackTimeoutMs, (signal) => session.send(part, signal));
        if (index === 0) externalId = id ?? null;
      } catch (error) {
        if (index === 0 && error instanceof SendPostponed)
          return { outcome: 'postponed', externalId, seconds: error.seconds };
        if (!(error instanceof SendRefused)) return { outcome: 'unknown', externalId };
        if (index === 0) return { outcome: error.reason, externalId, code: error.code };
        logger.warn(
          { reqId, messageId, deviceId, part: index + 1 },
          'the network accepted a message but refused a later part of it',
        );
      }
    }
    return { outcome: 'sent', externalId };
  }
}

const hasMedia = ({ parts }: DeliveryAttempt): boolean =>
  parts.some(({ content }) => content.kind !== 'text');

type Outcome = 'sent' | 'unknown' | 'postponed' | SendRefused['reason'];
