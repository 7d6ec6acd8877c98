import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';

/** What processes tell one another: a topic and the ids it concerns. Never more than a hint to look at the rows. */
export interface Notifications {
  /** Calls the subscribers of this process at once, and those of the other processes within some 20 ms. */
  publish(topic: Topic, id: string): void;
  /**
   * `listener` runs for every id published under `topic`, here or elsewhere. One that answers `dealtWith` says that
   * nobody else has use for it: what is published here is then not told to the other processes. Answers how to stop it.
   */
  subscribe(topic: Topic, listener: Listener): () => void;
  /** `listener` runs when notifications may have been missed: caches empty themselves, waiters look again. */
  onGap(listener: () => void): () => void;
  /** Tells the others what is left to tell; gives up on a connection that answers no more. */
  close(): Promise<void>;
}

type Listener = (id: string) => unknown;

export const handledLocally = Symbol('dealt with');

/** `device-changed` is for a device's pool to follow; `session-changed` says what its pool wrote of it, to who waits for that. */
export type Topic =
  | 'api-key-changed'
  | 'conversation-due'
  | 'device-changed'
  | 'message-due'
  | 'message-sent'
  | 'message-settled'
  | 'pool-ended'
  | 'session-changed';

const channel = 'parley';
const flushAfterMs = 20;
/** PostgreSQL refuses payloads of 8,000 bytes and more; an id with its topic takes at most 64. */
const idsPerNotify = 100;
const reconnectAfterMs = 250;
/** For the last hints, and for the server to see the connection off: it may have gone without a word. */
const closeWithinMs = 1_000;
/** While the connection is away or does not answer. Of more than these the others hear by looking again. */
const maxWaiting = 10_000;

/** One connection listens and notifies; it comes back by itself, and says so by the gap. */
export function startNotifications(options: {
  url: string;
  logger: Pick<Logger, 'warn'>;
  faultPoint: FaultPoint;
}): Notifications {
  const origin = crypto.randomUUID();
  const listeners = new Map<Topic, Set<Listener>>();
  const gapListeners = new Set<() => void>();
  let outgoing: [Topic, string][] = [];
  let flushTimer: NodeJS.Timeout | undefined;
  /** The one that listens. */
  let client: pg.Client | undefined;
  /** The same, or the one that is being opened. */
  let latest: pg.Client | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  /** Hints that are being sent. */
  let underWay = 0;
  let closed = false;

  /** Whether one of the listeners here was all that it was for. */
  const deliver = (topic: Topic, id: string): boolean => {
    let isDealtWith = false;
    for (const listener of listeners.get(topic) ?? [])
      isDealtWith = listener(id) === handledLocally || isDealtWith;
    return isDealtWith;
  };

  const receive = (payload: string | undefined) => {
    const note: { origin: string; ids: [Topic, string][] } = JSON.parse(payload ?? '{"ids":[]}');
    if (note.origin === origin) return;
    for (const [topic, id] of note.ids) deliver(topic, id);
  };

  const flush = () => {
    flushTimer = undefined;
    const connected = client;
    if (connected === undefined || outgoing.length === 0) return;
    const unique = [...new Map(outgoing.map((entry) => [entry.join(), entry])).values()];
    outgoing = [];
    options.faultPoint('hints.before_notify');
    underWay += unique.length;
    sending = sending.then(() => send(connected, unique));
  };

  /** One statement after the other, as a connection takes them. Never rejects. */
  const send = async (connected: pg.Client, notes: readonly [Topic, string][]): Promise<void> => {
    for (let i = 0; i < notes.length; i += idsPerNotify) {
      const ids = notes.slice(i, i + idsPerNotify);
      const payload = JSON.stringify({ origin, ids });
      try {
        await connected.query('select pg_notify($1, $2)', [channel, payload]);
      } catch {
        // The others see no gap when it was this connection alone that broke: they are told by the next.
        if (outgoing.length + ids.length <= maxWaiting) outgoing.push(...ids);
        if (!closed) flushTimer ??= setTimeout(flush, reconnectAfterMs);
      }
      underWay -= ids.length;
    }
  };

  /** One attempt; a connection that broke, now or later, is followed by another attempt. */
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: 'parley notifications',
      keepAlive: true,
    });
    latest = next;
    next.on('notification', (note) => receive(note.payload));
    next.on('error', () => undefined);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch {
      await next.end().catch(() => undefined);
      return reconnectLater();
    }
    client = next;
    next.once('end', () => {
      client = undefined;
      if (!closed) options.logger.warn('the notification connection ended; reconnecting');
      reconnectLater();
    });
    for (const listener of gapListeners) listener();
    flush();
  };

  const reconnectLater = () => {
    if (!closed) reconnectTimer = setTimeout(() => void connect(), reconnectAfterMs);
  };

  void connect();

  return {
    publish(topic, id) {
      if (deliver(topic, id)) return;
      if (outgoing.length + underWay < maxWaiting) outgoing.push([topic, id]);
      flushTimer ??= setTimeout(flush, flushAfterMs);
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => void set.delete(listener);
    },
    onGap(listener) {
      gapListeners.add(listener);
      return () => void gapListeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(flushTimer);
      clearTimeout(reconnectTimer);
      flush();
      await atMost(closeWithinMs, sending);
      await atMost(closeWithinMs, latest?.end());
    },
  };
}

/** Waits for what never rejects, but no longer than so. */
const atMost = (ms: number, work: Promise<void> | undefined): Promise<void> =>
  Promise.race([work, delay(ms, undefined, { ref: false })]);
