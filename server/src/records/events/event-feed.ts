import type { Readable } from 'node:stream';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { unavailable } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import { signalType } from './catalogue.ts';
import { type Cursor, encodeCursor, type Position } from './cursor.ts';
import { EventStream, type StreamedEvent } from './event-stream.ts';
import { type EventFilter, type EventRow, selectEvents, selectLogState } from './events.queries.ts';
import { presentEvent } from './present-event.ts';

/** Serves all streams of this process with one poll of the database. */
export interface EventFeed {
  /** Asks `isAllowed` every two seconds; when it returns false, the stream ends. */
  open(options: StreamOptions): Promise<Readable>;
  /** Whether a stream of this process wants signals. */
  wantsSignals(): boolean;
  /** Sends a signal, which is not stored, to the streams that want it, except those of its author. */
  signal(signal: Signal): void;
  /** Ends all streams. */
  close(): void;
}

interface StreamOptions {
  scope: Scope;
  /** The id of the key that reads, as in the audit log. */
  actorId?: string;
  filter: EventFilter;
  /** Null: from now on. */
  after: Cursor | null;
  isAllowed: () => boolean | Promise<boolean>;
}

interface Signal {
  teamId: string;
  authorId: string;
  data: Record<string, unknown>;
}

interface Dependencies {
  db: Database;
  logger: Pick<Logger, 'warn'>;
  heartbeatMs?: number;
}

const pollMs = 250;
const pageSize = 500;
const maxPageBytes = 512 * 1024;
/** Tokens must end within 5 seconds after their key. */
const checkMs = 2_000;
const maxStreams = 2_000;
const maxStreamsPerTeam = 200;

const catchUpLimits = {
  maxRunning: 4,
  errors: {
    full: () => unavailable('too_many_streams', 'Too many event streams are opening; try again', 2),
    timedOut: () => unavailable('too_many_streams', 'Too many event streams are opening; try again', 2),
    closed: () => unavailable('stopping', 'This process is stopping; try again', 1),
  },
};

export function createEventFeed({ db, logger, heartbeatMs = 15_000 }: Dependencies): EventFeed {
  const streams = new Map<EventStream, StreamOptions['isAllowed']>();
  let log: { incarnation: string; position: Position; at: number } | null = null;
  let pollTimer: NodeJS.Timeout | undefined;
  let closed = false;

  const hasTooMany = (teamId: string | null): boolean => {
    if (streams.size >= maxStreams) return true;
    const own = [...streams.keys()].filter(({ scope }) => teamOf(scope) === teamId);
    return teamId !== null && own.length >= maxStreamsPerTeam;
  };

  const toCursor = (position: Position, at: number) =>
    encodeCursor({ ...position, incarnation: log?.incarnation ?? '', at });

  const toStreamed = (row: EventRow): StreamedEvent => ({
    xid: row.xid,
    seq: row.seq,
    row,
    text: `id: ${toCursor(row, row.created_at.getTime())}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`,
  });

  const readOn = async (): Promise<boolean> => {
    if (log === null) return false;
    const page = { after: log.position, limit: pageSize, maxBytes: maxPageBytes };
    const { rows, reached, isFull, now } = await selectEvents(db, { kind: 'all' }, {}, page);
    log.position = reached;
    log.at = now.getTime();
    for (const row of rows) {
      const event = toStreamed(row);
      for (const stream of streams.keys()) stream.send(event);
    }
    return isFull;
  };

  const poll = async (): Promise<void> => {
    let isFull = false;
    try {
      isFull = await readOn();
    } catch (error) {
      logger.warn({ err: error }, 'failed to read events for streams; retrying');
    }
    if (closed || streams.size === 0) {
      log = null;
      pollTimer = undefined;
    } else pollTimer = setTimeout(poll, isFull ? 0 : pollMs);
  };

  const start = async (): Promise<NonNullable<typeof log>> => {
    if (log === null) {
      const { incarnation, xid, now } = await selectLogState(db);
      log ??= { incarnation, position: { xid, seq: '0' }, at: now.getTime() };
    }
    pollTimer ??= setTimeout(poll, pollMs);
    return log;
  };

  const heartbeat = setInterval(() => {
    for (const stream of streams.keys()) {
      if (stream.isLive && log !== null)
        stream.write(`: heartbeat\nid: ${toCursor(log.position, log.at)}\n\n`);
      else stream.write(': heartbeat\n\n');
    }
  }, heartbeatMs).unref();

  const check = setInterval(() => {
    for (const [stream, isAllowed] of streams) {
      void Promise.resolve(isAllowed()).then(
        (allowed) => allowed || stream.end(),
        () => undefined,
      );
    }
  }, checkMs).unref();

  const catchingUp = createSemaphore(catchUpLimits);
  const catchUp = async (stream: EventStream, after: Cursor): Promise<void> => {
    let sent: Position = after;
    for (;;) {
      const page = { after: sent, limit: pageSize, maxBytes: maxPageBytes };
      const { rows, reached, isFull } = await catchingUp.run(
        () => selectEvents(db, stream.scope, stream.filter, page),
        { group: teamOf(stream.scope) ?? '' },
      );
      for (const row of rows) {
        stream.write(toStreamed(row).text);
        if (stream.isHalfFull) await untilRead(stream.output);
      }
      sent = reached;
      if (stream.output.destroyed) return;
      if (isFull) await untilRead(stream.output);
      else if (stream.goLive(reached)) return;
    }
  };

  return {
    async open({ scope, actorId = null, filter, after, isAllowed }) {
      if (closed) throw catchUpLimits.errors.closed();
      if (hasTooMany(teamOf(scope))) throw catchUpLimits.errors.full();
      const stream = new EventStream({ scope, filter, actorId }, () => void streams.delete(stream));
      streams.set(stream, isAllowed);
      const { position, at } = await start().catch((error: unknown) => {
        streams.delete(stream);
        throw error;
      });
      const from = after === null ? toCursor(position, at) : encodeCursor(after);
      stream.write(`retry: 2000\nid: ${from}\n\n`);
      if (after === null) stream.goLive(position);
      else
        catchUp(stream, after).catch((error: unknown) => {
          logger.warn({ err: error }, 'failed to read earlier events for a stream; ending it');
          stream.output.destroy();
        });
      return stream.output;
    },
    wantsSignals: () => [...streams.keys()].some(({ wantsSignals }) => wantsSignals),
    signal({ teamId, authorId, data }) {
      const event = {
        id: newId(),
        type: signalType,
        created_at: timestamp(new Date()),
        team_id: teamId,
        data,
      };
      const text = `event: ${signalType}\ndata: ${JSON.stringify(event)}\n\n`;
      for (const stream of streams.keys()) stream.signal({ teamId, authorId, text });
    },
    close() {
      closed = true;
      clearInterval(heartbeat);
      clearInterval(check);
      clearTimeout(pollTimer);
      for (const stream of streams.keys()) stream.end();
    },
  };
}

const teamOf = (scope: Scope): string | null => (scope.kind === 'team' ? scope.teamId : null);

const untilRead = async (output: Readable): Promise<void> => {
  while (output.readableLength > 0 && !output.destroyed) await new Promise((go) => setTimeout(go, 20));
};
