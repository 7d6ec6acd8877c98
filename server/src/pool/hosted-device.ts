import type {
  DownReason,
  InboundMessage,
  MessagingNetwork,
  NetworkSession,
  SessionEvents,
  SessionStore,
} from '../adapters/messaging-network/messaging-network.ts';
import type { Logger } from '../shared/logger.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import { type EndReason, PhoneInUse, type SessionRecord } from './session-record.ts';
import { NotOwner } from './session-store.ts';

/** A started device that this pool holds connected, through as many sessions as it takes. */
export interface HostedDevice {
  /** Who sends for this device; null while it is not up. */
  session(): NetworkSession | null;
  /** Drops the connection for good and waits until it is gone. The device's row is left as it is. */
  close(): Promise<void>;
}

export interface HostedDeviceOptions {
  deviceId: string;
  network: Pick<MessagingNetwork, 'openSession'>;
  store: SessionStore;
  record: SessionRecord;
  /** How long codes are shown before the device is stopped. */
  pairingTimeoutMs: number;
  logger: Pick<Logger, 'error' | 'info'>;
  receive(message: InboundMessage): Promise<void>;
  receipt(receipt: Parameters<SessionEvents['receipt']>[0]): Promise<void>;
  /** Messages can be sent from now on. */
  onUp(): void;
  /** The device came to an end that `close` did not ask for. */
  onEnded(): void;
}

/** Opens the first session at once. */
export function hostDevice(options: HostedDeviceOptions): HostedDevice {
  const { deviceId, network, store, record, logger } = options;
  let session: NetworkSession | null = null;
  let gone = Promise.withResolvers<void>();
  let up = false;
  let over = false;
  let failures = 0;
  let refusal: EndReason = 'pairing_refused';
  let reconnecting: NodeJS.Timeout | undefined;
  let pairing: NodeJS.Timeout | undefined;
  let pairingTimedOut = false;

  const open = () => {
    if (over) return;
    gone = Promise.withResolvers();
    session = network.openSession({ deviceId, store, events });
  };

  const end = () => {
    clearTimeout(reconnecting);
    clearTimeout(pairing);
    if (over) return;
    over = true;
    options.onEnded();
  };

  const reopenLater = () => {
    reconnecting = setTimeout(open, reconnectDelayMs(failures));
    failures += 1;
  };

  /** Codes may come from several sessions after one another; the time runs from the first. */
  const limitPairing = () => {
    pairing ??= setTimeout(() => {
      pairingTimedOut = true;
      clearTimeout(reconnecting);
      void (session === null ? events.down('closed') : session.close());
    }, options.pairingTimeoutMs);
  };

  /** What follows once the session is gone. Throws what `record` throws. */
  const follow = async (reason: DownReason): Promise<void> => {
    if (pairingTimedOut) return finish(record.stopped('qr_timeout'));
    switch (reason) {
      case 'connection_lost':
      case 'replaced':
        await record.down(reason);
        return reopenLater();
      case 'restart_required':
        await record.down(reason);
        return open();
      case 'qr_timeout':
        return open();
      case 'logged_out':
      case 'banned':
        return finish(record.unlinked(reason));
      case 'pairing_refused':
        return finish(record.stopped(refusal));
      case 'closed':
        return end();
    }
  };

  const finish = async (written: Promise<void>): Promise<void> => {
    await written;
    logger.info({ deviceId }, 'a device came to an end by itself');
    end();
  };

  const events: SessionEvents = {
    async qr(code) {
      limitPairing();
      await record.qr(code);
    },
    async paired({ phoneNumber }) {
      await record.paired(phoneNumber).catch((error: unknown) => {
        if (error instanceof PhoneInUse) refusal = 'phone_in_use';
        throw error;
      });
      clearTimeout(pairing);
      pairing = undefined;
    },
    async up({ phoneNumber }) {
      await record.up(phoneNumber);
      failures = 0;
      up = true;
      options.onUp();
    },
    async down(reason) {
      up = false;
      session = null;
      gone.resolve();
      if (over) return;
      try {
        await follow(reason);
      } catch (error) {
        if (error instanceof NotOwner) return end();
        // The database is away: what the row says is put right by the next session.
        logger.error({ err: error, deviceId, reason }, 'the end of a session could not be recorded');
        reopenLater();
      }
    },
    inbound: options.receive,
    receipt: options.receipt,
  };

  open();
  return {
    session: () => (up ? session : null),
    async close() {
      over = true;
      clearTimeout(reconnecting);
      clearTimeout(pairing);
      if (session === null) return;
      await session.close();
      await gone.promise;
    },
  };
}
