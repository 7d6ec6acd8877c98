import { type NetworkSession, SendRefused } from '../adapters/messaging-network/messaging-network.ts';
import type { HandOff } from '../messages/hand-off.ts';
import type { Outbox } from '../messages/outbox.ts';
import type { Logger } from '../shared/logger.ts';

/** Hands what the outbox holds for this pool's devices to the network. */
export interface Dispatcher {
  /** There may be something to send for this device. */
  wake(deviceId: string): void;
  /** Begins nothing any more. */
  stop(): void;
  /** Waits for what is under way. */
  drained(): Promise<void>;
}

export interface DispatcherOptions {
  outbox: Outbox;
  poolId(): string | null;
  sessionOf(deviceId: string): NetworkSession | null;
  /** The devices that are up here. */
  connected(): string[];
  logger: Pick<Logger, 'error' | 'warn'>;
  /** How long a hand-off waits for the network's acknowledgement; below the time it is claimed for. */
  ackTimeoutMs: number;
  /** How often the outbox is looked at without being told to. */
  pollMs: number;
}

/** Hand-offs under way for one device. */
const perDevice = 64;
/** Wake-ups that come this close together make one claim. */
const gatherMs = 2;

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { outbox, logger } = options;
  const woken = new Set<string>();
  const underWay = new Map<string, Set<Promise<void>>>();
  /** Devices with more to send once something of theirs is settled: the next of a chat waits for the one before. */
  const again = new Set<string>();
  const retries = new Set<NodeJS.Timeout>();
  let gathering: NodeJS.Timeout | undefined;
  let claiming = false;
  let closed = false;

  const wake = (deviceId: string) => {
    if (closed || options.sessionOf(deviceId) === null) return;
    woken.add(deviceId);
    gather();
  };

  const gather = () => {
    if (!claiming && woken.size > 0) gathering ??= setTimeout(() => void claim(), gatherMs);
  };

  const claim = async () => {
    gathering = undefined;
    const poolId = options.poolId();
    const devices = [...woken].map((deviceId) => ({ deviceId, room: perDevice - countOf(deviceId) }));
    woken.clear();
    for (const { deviceId } of devices) if (countOf(deviceId) > 0) again.add(deviceId);
    if (closed || poolId === null) return;
    claiming = true;
    try {
      const handOffs = await outbox.claim(
        poolId,
        devices.filter(({ room }) => room > 0),
      );
      for (const handOff of handOffs) begin(handOff);
    } catch (error) {
      logger.error({ err: error }, 'the outbox could not be read; it is looked at again soon');
    } finally {
      claiming = false;
      gather();
    }
  };

  const countOf = (deviceId: string): number => underWay.get(deviceId)?.size ?? 0;

  const begin = (handOff: HandOff) => {
    const { deviceId, messageId } = handOff;
    const own = underWay.get(deviceId) ?? new Set();
    underWay.set(deviceId, own);
    if (handOff.more) again.add(deviceId);
    const sending = send(handOff)
      .catch((error: unknown) => logger.error({ err: error, messageId }, 'a hand-off could not be settled'))
      .finally(() => {
        own.delete(sending);
        if (own.size === 0) underWay.delete(deviceId);
        if (again.delete(deviceId)) wake(deviceId);
      });
    own.add(sending);
  };

  const send = async (handOff: HandOff): Promise<void> => {
    const outcome = await deliver(handOff);
    switch (outcome) {
      case 'sent':
        return outbox.sent(handOff);
      case 'unknown':
        return retry(handOff);
      default:
        return outbox.refused(handOff, outcome);
    }
  };

  const retry = async (handOff: HandOff): Promise<void> => {
    const seconds = await outbox.uncertain(handOff);
    if (seconds === null || closed) return;
    const timer = setTimeout(() => {
      retries.delete(timer);
      wake(handOff.deviceId);
    }, seconds * 1000);
    retries.add(timer);
  };

  /** Gives the parts to the network one after the other. What comes after the first changes nothing about its outcome. */
  const deliver = async ({ deviceId, messageId, parts }: HandOff): Promise<Outcome> => {
    for (const [index, part] of parts.entries()) {
      const session = options.sessionOf(deviceId);
      if (session === null) return 'unknown';
      try {
        await session.send(part, AbortSignal.timeout(options.ackTimeoutMs));
      } catch (error) {
        if (!(error instanceof SendRefused)) return 'unknown';
        if (index === 0) return error.reason;
        logger.warn({ messageId, part: index + 1 }, 'the network took a message but refused a part of it');
      }
    }
    return 'sent';
  };

  const poll = setInterval(() => {
    for (const deviceId of options.connected()) wake(deviceId);
  }, options.pollMs);

  return {
    wake,
    stop() {
      closed = true;
      clearInterval(poll);
      clearTimeout(gathering);
      for (const timer of retries) clearTimeout(timer);
    },
    async drained() {
      await Promise.all([...underWay.values()].flatMap((own) => [...own]));
    },
  };
}

type Outcome = 'sent' | 'unknown' | SendRefused['reason'];
