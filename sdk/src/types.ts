/** A key as `createApiKey` returns it. Other members are ignored. */
export interface ApiKeyCredentials {
  key_id: string;
  key_secret: string;
}

/** How to reach a deployment, and as whom. */
export type ParleyOptions = {
  /** The address of the deployment, without a path. */
  baseUrl: string | URL;
  /** How often a request is retried. Default: 4. */
  maxRetries?: number | undefined;
  /** The longest wait before a retry. An error that asks for a longer wait is thrown at once. Default: 30,000. */
  maxDelayMs?: number | undefined;
  /** The time for one attempt, and for silence on a stream of events, whose heartbeat takes 15 s. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** Called after every attempt that got a response, for logs. */
  onResponse?: ((exchange: Exchange) => void) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
} & (
  | { key: ApiKeyCredentials }
  /** An access token, or a function that returns one for each request. */
  | { token: string | (() => string | Promise<string>) }
);

/** One attempt. `body` is the parsed response; null if it is not JSON. */
export interface Exchange {
  method: string;
  url: URL;
  /** The body of the request before it was encoded. */
  input: unknown;
  status: number;
  body: unknown;
  requestId: string;
  attempt: number;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Default: a new key for each call. Give the same key again to continue a call that an earlier process began. */
  idempotencyKey?: string | undefined;
  /** Appears in the service's logs. Default: a new id. */
  requestId?: string | undefined;
}

/** A file to upload. A stream is read into memory before it is sent. The name of a `File` is used unless `filename` is given. */
export type Upload =
  | File
  | { content: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>; filename: string };

/** Members of the `meta` of a list. */
export interface Position {
  page?: number;
  totalPages?: number;
  next_cursor?: string | null;
  has_more?: boolean;
}

export interface Page<Item, Meta> {
  data: Item[];
  meta: Meta;
}

/** Resolves to one page. `for await` iterates over the items of this page and of all pages after it. */
export type Pages<Item, Meta = Position> = Promise<Page<Item, Meta>> & AsyncIterable<Item>;

/** A change that the deployment reports. `data` depends on `type`. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  team_id: string | null;
  data: Record<string, unknown>;
}
