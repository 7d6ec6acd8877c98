import { Readable } from 'node:stream';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { unavailable } from '../../platform/http/errors.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { isOpen } from '../hours/opening.ts';
import { type Chat, type ChatMessage, type ChatState, type Staff, selectChats } from './web-chat.queries.ts';

/** Serves the chats of all visitors of this process with one poll of the database. */
export interface VisitorStreams {
  /** Streams the messages after the position and the state of the chat as server-sent events. */
  open(chat: Chat, after: number): Readable;
  close(): void;
}

interface Stream extends Chat {
  output: Readable;
  after: number;
  sent: Set<string>;
  state: string;
}

const pollMs = 500;
const maxStreams = 5_000;
const maxStreamsPerVisitor = 5;
const heartbeatMs = 15_000;
/** A client that does not read is cut off. It reads on from its last event. */
const maxUnreadBytes = 512 * 1024;

export function createVisitorStreams({
  db,
  notifications,
  clock,
  logger,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe'>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}): VisitorStreams {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;

  const poll = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    try {
      const asked = [...streams];
      const chats = await selectChats(db, asked);
      for (const [index, stream] of asked.entries()) {
        const chat = chats[index];
        if (chat === undefined) continue;
        const { messages, staff, ...state } = chat;
        update(stream, messages, {
          ...state,
          nobody_there: staff !== null && !isStaffed(staff, clock.now()),
        });
      }
    } catch (error) {
      logger.warn({ err: error }, 'the chats of visitors could not be read; retrying');
    } finally {
      polling = false;
      schedule(pollMs);
    }
  };
  const schedule = (delayMs: number) => {
    clearTimeout(timer);
    if (streams.size > 0) timer = setTimeout(() => void poll(), delayMs);
  };
  const stopListening = notifications.subscribe('message-sent', () => {
    if (streams.size > 0 && !polling) schedule(20);
  });
  const heartbeat = setInterval(() => {
    for (const { output } of streams) output.push(': heartbeat\n\n');
  }, heartbeatMs).unref();

  return {
    open(chat, after) {
      const own = [...streams].filter(
        ({ deviceId, contact }) => deviceId === chat.deviceId && contact === chat.contact,
      );
      if (streams.size >= maxStreams || own.length >= maxStreamsPerVisitor)
        throw unavailable('too_many_streams', 'Too many streams are open; try again', 10);
      const output = new Readable({ read: () => undefined });
      const stream: Stream = { ...chat, output, after, sent: new Set(), state: '' };
      streams.add(stream);
      output.once('close', () => streams.delete(stream));
      schedule(0);
      return output;
    },
    close() {
      stopListening();
      clearInterval(heartbeat);
      clearTimeout(timer);
      for (const { output } of streams) output.push(null);
      streams.clear();
    },
  };
}

const isStaffed = ({ hours, timezone, is_present }: Staff, now: Date): boolean =>
  is_present && isOpen(hours, now, timezone);

function update(
  stream: Stream,
  messages: readonly ChatMessage[],
  state: ChatState & { nobody_there: boolean },
): void {
  for (const message of messages)
    if (message.is_visible && !stream.sent.has(message.id)) {
      stream.sent.add(message.id);
      write(stream, 'message', presentChatMessage(message));
    }
  const open = messages.findIndex((message) => message.is_open);
  const settled = open === -1 ? messages : messages.slice(0, open);
  stream.after = settled.at(-1)?.seq ?? stream.after;
  for (const { id } of settled) stream.sent.delete(id);
  const described = JSON.stringify(state);
  if (described === stream.state) return;
  stream.state = described;
  write(stream, 'state', state);
}

function write({ output, after }: Stream, event: string, data: object): void {
  output.push(`id: ${after}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  if (output.readableLength > maxUnreadBytes) output.destroy();
}

const presentChatMessage = ({
  id,
  seq,
  direction,
  origin,
  kind,
  text,
  mime_type,
  network_id,
  at,
}: ChatMessage) => ({
  id,
  seq,
  own: direction === 'in',
  person: origin === 'person',
  kind,
  text,
  mime_type,
  /** The id that the widget gave the message. */
  client_id: direction === 'in' ? network_id : null,
  at,
});
