import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { faultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { auditContext } from './audit-context.ts';

/** Sends topics with ids between processes. A notification is only a hint to read the rows again. */
export interface Notifications {
  /** Calls this process's subscribers at once, and those of other processes after about 20 ms. */
  publish(topic: Topic, id: string): void;
  /** If `listener` returns `handledLocally`, the id is not sent to other processes. Returns `unsubscribe`. */
  subscribe(topic: Topic, listener: Listener): () => void;
  /** Calls `listener` when notifications may have been missed. */
  onGap(listener: () => void): () => void;
  close(): Promise<void>;
}

type Listener = (id: string) => unknown;

export const handledLocally = Symbol('handled locally');

export type Topic =
  | 'api-key-changed'
  | 'brand-changed'
  | 'conversation-due'
  | 'conversation-typing'
  | 'device-changed'
  | 'inbox-due'
  | 'message-due'
  | 'message-sent'
  | 'message-settled'
  | 'person-changed'
  | 'pool-ended'
  | 'session-changed';

const channel = 'parley';
const flushAfterMs = 20;
/** PostgreSQL rejects payloads of 8,000 bytes. */
const maxPayloadBytes = 7_500;
const reconnectAfterMs = 250;
const responseTimeoutMs = 5_000;
const closeWithinMs = 1_000;
const maxWaiting = 10_000;

export function startNotifications(options: {
  url: string;
  logger: Pick<Logger, 'warn'>;
  /** Runs on each new connection before it is used. If it throws, another connection is tried. */
  onConnected?: (client: pg.Client) => Promise<void>;
  timeoutMs?: number;
}): Notifications {
  const { timeoutMs = responseTimeoutMs } = options;
  const origin = crypto.randomUUID();
  const listeners = new Map<Topic, Set<Listener>>();
  const gapListeners = new Set<() => void>();
  let outgoing: [Topic, string][] = [];
  let flushTimer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let latest: pg.Client | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let inFlight = 0;
  let closed = false;

  /**
   * Runs the listeners outside the context of the request. Their sockets and timers would keep that context, and the audit log
   * would name the request for all later changes.
   */
  const deliver = (topic: Topic, id: string): boolean =>
    auditContext.run(null, () => {
      let handled = false;
      for (const listener of listeners.get(topic) ?? []) handled = listener(id) === handledLocally || handled;
      return handled;
    });

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
    faultPoint('notifications.before_notify');
    inFlight += unique.length;
    sending = sending.then(() => send(connected, unique));
  };

  const send = async (connected: pg.Client, notes: readonly [Topic, string][]): Promise<void> => {
    for (const ids of splitIntoPayloads(notes)) {
      const payload = JSON.stringify({ origin, ids });
      try {
        await connected.query('select pg_notify($1, $2)', [channel, payload]);
      } catch {
        // Other processes see no gap when only this connection broke, so the next one sends these again.
        if (outgoing.length + ids.length <= maxWaiting) outgoing.push(...ids);
        if (!closed) flushTimer ??= setTimeout(flush, reconnectAfterMs);
        // After a timeout, the connection may be dead although nothing closed it.
        void connected.end().catch(() => undefined);
      }
      inFlight -= ids.length;
    }
  };

  /** A connection that only listens would not notice that it fell silent. */
  const beat = async (connected: pg.Client): Promise<void> => {
    if (connected !== client) return;
    await connected.query('select').catch(() => void connected.end().catch(() => undefined));
  };

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: 'parley notifications',
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    latest = next;
    next.on('notification', (note) => receive(note.payload));
    next.on('error', () => undefined);
    try {
      await next.connect();
      await options.onConnected?.(next);
      // Each NOTIFY would wait for the disk, and PostgreSQL commits one of them at a time. A crash loses only hints.
      await next.query(`listen ${channel}; set synchronous_commit = off`);
    } catch {
      await next.end().catch(() => undefined);
      return reconnectLater();
    }
    client = next;
    const heartbeat = setInterval(() => {
      sending = sending.then(() => beat(next));
    }, timeoutMs / 2);
    next.once('end', () => {
      clearInterval(heartbeat);
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
      if (outgoing.length + inFlight < maxWaiting) outgoing.push([topic, id]);
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

function* splitIntoPayloads(notes: readonly [Topic, string][]): Iterable<[Topic, string][]> {
  let ids: [Topic, string][] = [];
  let bytes = 0;
  for (const note of notes) {
    const size = Buffer.byteLength(JSON.stringify(note)) + 1;
    if (bytes + size > maxPayloadBytes) {
      yield ids;
      ids = [];
      bytes = 0;
    }
    ids.push(note);
    bytes += size;
  }
  yield ids;
}

const atMost = (ms: number, work: Promise<void> | undefined): Promise<void> =>
  Promise.race([work, delay(ms, undefined, { ref: false })]);
