import { type Operations, operations } from './api.generated.ts';
import { type StreamEventsOptions, type StreamedEvent, streamEvents } from './event-stream.ts';
import { createTransport, defaultTimeoutMs, type Send, type TransportRequest } from './transport.ts';
import type { CallOptions, Page, ParleyOptions, Position, Upload } from './types.ts';

/** A client of one deployment: a method for each operation of the API. */
export interface Parley extends Operations {
  /** Returns the current access token. Exchanges the key if there is none. */
  getToken(): Promise<string>;
  /**
   * Iterates over events as they happen until `signal` aborts. Continues after the last event when the connection is lost. Throws
   * ParleyError when the first connection fails, and when the service refuses a later one with a 4xx.
   */
  streamEvents(options?: StreamEventsOptions): AsyncGenerator<StreamedEvent, void, undefined>;
  /** Sends any request, for paths without a method here, and returns the `data` of the response. */
  request<Data>(
    request: Pick<TransportRequest, 'method' | 'path' | 'query' | 'body'>,
    options?: CallOptions,
  ): Promise<Data>;
}

type Input = Readonly<Record<string, unknown>>;

/** Creates a client with an API key, which it exchanges for tokens by itself, or with a ready token. */
export function createParley(options: ParleyOptions): Parley {
  const { send, getToken } = createTransport(options);
  const request: Parley['request'] = async (raw, call) => {
    const { body } = await send({ ...raw, keyed: call?.idempotencyKey !== undefined }, call);
    return (body as { data: never }).data;
  };
  const methods = Object.entries(operations).map(([name, description]) => [
    name,
    toMethod(send, description),
  ]);
  // The generator writes the table and the types from the same document.
  return {
    ...(Object.fromEntries(methods) as unknown as Operations),
    getToken,
    streamEvents: (input = {}) => streamEvents(send, input, options.timeoutMs ?? defaultTimeoutMs),
    request,
  };
}

/** Makes a method from `POST /v1/bots/{id}/publish keyed`. */
function toMethod(send: Send, description: string) {
  const [method = '', template = '', ...traits] = description.split(' ');
  const run = async (input: Input = {}, call?: CallOptions): Promise<unknown> => {
    const rest = { ...input };
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest[name];
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new TypeError(`${method} ${template} needs ${name}`);
      delete rest[name];
      return encodeURIComponent(value);
    });
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const streamed = traits.includes('raw');
    const { response, body } = await send(
      {
        method,
        path: `/api/openapi${path}`,
        ...(hasBody
          ? { body: traits.includes('form') ? await toForm(rest) : bodyOf(rest) }
          : { query: rest }),
        keyed: traits.includes('keyed'),
        streamed,
      },
      call,
    );
    if (streamed) return response;
    const { data, meta } = body as { data: unknown; meta?: unknown };
    return meta === undefined ? data : { data, meta };
  };
  if (!traits.includes('paged')) return run;
  return (input?: Input, call?: CallOptions) => {
    // With a cursor, changes between two pages neither repeat nor hide items.
    const begin =
      traits.includes('cursor') && input?.['page'] === undefined ? { after: '', ...input } : input;
    return iterate(begin, (changed) => run(changed, call) as Promise<Page<unknown, Position>>);
  };
}

/** Operations without a body get none, so that a caller may pass only the path's members. */
const bodyOf = (members: Input): Input | undefined =>
  Object.keys(members).length === 0 ? undefined : members;

/** Returns the promise of one page, which also iterates over the items of this page and of those after it. */
function iterate(
  input: Input | undefined,
  read: (input: Input | undefined) => Promise<Page<unknown, Position>>,
) {
  const first = read(input);
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let page = await first;
      for (;;) {
        yield* page.data;
        const next = positionAfter(page.meta);
        if (next === null) return;
        page = await read({ ...input, ...next });
      }
    },
  });
}

function positionAfter({ page = 1, totalPages = 0, has_more, next_cursor }: Position): Input | null {
  if (has_more !== undefined) return has_more ? { after: next_cursor } : null;
  if (next_cursor !== undefined) return next_cursor === null ? null : { after: next_cursor };
  return page < totalPages ? { page: page + 1 } : null;
}

async function toForm(members: Input): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    if (typeof value !== 'object' || value === null) form.append(name, String(value));
    else if (value instanceof File) form.append(name, value);
    else {
      const { content, filename } = value as Partial<Exclude<Upload, File>>;
      if (content === undefined || filename === undefined)
        throw new TypeError(`${name} must be a File, or have content and filename`);
      form.append(name, await new Response(content).blob(), filename);
    }
  }
  return form;
}
