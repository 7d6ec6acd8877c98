import type { Event } from './api.generated.ts';
import { isParleyError } from './errors.ts';
import { backoff, type Send, wait } from './transport.ts';

export interface StreamEventsOptions {
  team_id?: string | undefined;
  /** Default: all types. */
  types?: readonly Event['type'][] | undefined;
  /** The `cursor` of an event. The stream begins with the next event. Default: from now on. */
  after?: string | undefined;
  /** Called with true when the stream is connected, and with false when the connection is lost. */
  onConnection?: ((connected: boolean) => void) | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
}

export type StreamedEvent = Event & {
  /** Store it and pass it as `after` to continue in another process. */
  cursor: string;
};

/** Iterates over events as they happen. `silenceMs` without a byte, heartbeats included, counts as a lost connection. */
export async function* streamEvents(
  send: Send,
  { after, signal, onConnection, ...query }: StreamEventsOptions,
  silenceMs: number,
): AsyncGenerator<StreamedEvent, void, undefined> {
  let cursor = after;
  let connected = false;
  for (let losses = 0; ; losses += 1) {
    const connection = new AbortController();
    try {
      if (losses > 0) await wait(backoff(losses), signal);
      const { response } = await send(
        {
          method: 'GET',
          path: '/api/openapi/v1/events',
          query,
          headers: { accept: 'text/event-stream', ...(cursor && { 'last-event-id': cursor }) },
          streamed: true,
        },
        { signal: signal ? AbortSignal.any([signal, connection.signal]) : connection.signal },
      );
      connected = true;
      onConnection?.(true);
      for await (const { id = cursor, data } of readMessages(response, silenceMs)) {
        if (id !== cursor) losses = 0;
        cursor = id;
        if (data !== undefined) yield { ...JSON.parse(data), cursor };
      }
    } catch (error) {
      if (!signal?.aborted && !(connected && isTemporary(error))) throw error;
    } finally {
      connection.abort();
    }
    if (signal?.aborted) return;
    onConnection?.(false);
  }
}

const isTemporary = (error: unknown): boolean =>
  isParleyError(error) && (error.status === 0 || error.status >= 500);

/** Reads server-sent events until the connection is lost. */
async function* readMessages(
  { body }: Response,
  silenceMs: number,
): AsyncGenerator<{ id?: string; data?: string }, void, undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  for (;;) {
    const timer = setTimeout(() => void reader?.cancel().catch(() => undefined), silenceMs);
    const chunk = await reader?.read().catch(() => undefined);
    clearTimeout(timer);
    if (chunk?.value === undefined) return;
    const messages = (unread + decoder.decode(chunk.value, { stream: true })).split('\n\n');
    unread = messages.pop() ?? '';
    for (const message of messages)
      yield Object.fromEntries(message.split('\n').map((line) => line.split(/: ?(.*)/s, 2)));
  }
}
