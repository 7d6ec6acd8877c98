import { after } from 'node:test';
import { eventually } from './eventually.ts';

interface ReceivedEvent {
  /** The cursor. */
  id: string;
  type: string;
  data: { id: string; type: string; team_id: string | null; data: Record<string, unknown> };
}

/** A client of the stream of `GET /events`. */
export interface EventSource {
  status: number;
  events: ReceivedEvent[];
  /** The last `id`, for `Last-Event-ID`. */
  lastId(): string;
  comments(): number;
  /** Resolves when the server has ended the response; rejects if it broke. */
  ended: Promise<void>;
  close(): void;
}

export async function openEventSource(
  baseUrl: string,
  token: string,
  options: { query?: string; lastEventId?: string } = {},
): Promise<EventSource> {
  const controller = new AbortController();
  after(() => controller.abort());
  const response = await fetch(`${baseUrl}/api/openapi/v1/events${options.query ?? ''}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    },
    signal: controller.signal,
  });
  const events: ReceivedEvent[] = [];
  let lastId = '';
  let comments = 0;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n');
        const value = (field: string) =>
          lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
        lastId = value('id') ?? lastId;
        if (block.startsWith(':')) comments += 1;
        const data = value('data');
        if (data !== undefined)
          events.push({ id: lastId, type: value('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  const ended = read();
  ended.catch(() => undefined);
  const source = { status: response.status, events, lastId: () => lastId, comments: () => comments };
  if (response.status === 200) {
    await eventually(async () => {
      if (lastId === '') throw new Error('the stream has not begun');
    });
  }
  return { ...source, ended, close: () => controller.abort() };
}
