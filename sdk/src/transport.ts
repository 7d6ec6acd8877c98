import { createTokens, type IssuedToken } from './access-token.ts';
import { isParleyError, ParleyError, toError } from './errors.ts';
import type { CallOptions, ParleyOptions } from './types.ts';

export interface TransportRequest {
  method: string;
  /** Relative to the address of the deployment. */
  path: string;
  query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON; a `FormData` as multipart. */
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  /** A POST that the service recognizes by its Idempotency-Key. */
  keyed?: boolean | undefined;
  /** Sends no token. */
  anonymous?: boolean | undefined;
  /** Returns when the headers have arrived. The caller reads the body without a timeout. */
  streamed?: boolean | undefined;
}

interface Answer {
  response: Response;
  /** The parsed JSON. Null if the response was streamed or is not JSON. */
  body: unknown;
}

export type Send = (request: TransportRequest, call?: CallOptions) => Promise<Answer>;

export const defaultTimeoutMs = 60_000;
const firstDelayMs = 250;
const longestBackoffMs = 8_000;

/** The network or a proxy failed, so the service may have done the work. A 503 of the service itself has a code. */
const unclearStatuses = new Set([0, 502, 503, 504]);

/** Creates the function that sends requests with a token, and retries those that may be repeated. */
export function createTransport(options: ParleyOptions): { send: Send; getToken: () => Promise<string> } {
  const { baseUrl, maxRetries = 4, maxDelayMs = 30_000 } = options;
  if (!/^https?:/i.test(`${baseUrl}`) || !URL.canParse(`${baseUrl}`))
    throw new TypeError(`baseUrl must be like https://parley.example.com, not ${baseUrl}`);
  const tokens = createTokens(options, async (key) => {
    const exchange = { method: 'POST', path: '/api/openapi/auth/token', body: key, anonymous: true };
    const { body } = await send(exchange);
    return (body as { data: IssuedToken }).data;
  });

  const send: Send = async (request, call = {}) => {
    const headers = {
      ...request.headers,
      'x-request-id': call.requestId ?? newId(),
      ...(request.keyed ? { 'idempotency-key': call.idempotencyKey ?? newId() } : {}),
    };
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const token = request.anonymous ? undefined : await abortable(tokens.get(), call.signal);
      try {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        return await attemptOnce(
          options,
          { ...request, headers: { ...headers, ...authorization } },
          call,
          attempt,
        );
      } catch (error) {
        if (!isParleyError(error)) throw error;
        if (error.status === 401 && token !== undefined && !renewed && tokens.discard(token)) {
          renewed = true;
          continue;
        }
        const delay = error.retryAfter === undefined ? backoff(attempt) : error.retryAfter * 1000;
        if (attempt > maxRetries || delay > maxDelayMs || !isRetriable(error, request, attempt)) throw error;
        await wait(delay, call.signal);
      }
    }
  };
  return { send, getToken: tokens.get };
}

function isRetriable(
  error: ParleyError,
  { method, keyed, anonymous }: TransportRequest,
  attempt: number,
): boolean {
  // The service refused these before it changed anything.
  if (error.status === 503 && error.code !== undefined) return true;
  if (error.status === 429 && error.reason !== 'active_messages') return true;
  // An earlier attempt still runs.
  if (error.reason === 'idempotency_in_flight') return attempt > 1;
  return unclearStatuses.has(error.status) && (method !== 'POST' || keyed === true || anonymous === true);
}

/** Sends the request once. Throws ParleyError unless the response is a success. */
async function attemptOnce(
  options: ParleyOptions,
  request: TransportRequest & { headers: { 'x-request-id': string } },
  { signal }: CallOptions,
  attempt: number,
): Promise<Answer> {
  const { method, body: input } = request;
  const url = new URL(request.path, options.baseUrl);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const requestId = request.headers['x-request-id'];
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), options.timeoutMs ?? defaultTimeoutMs);
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method,
      signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
      ...encode(input, request.headers),
    });
    const body = request.streamed && response.ok ? null : parse(await response.text());
    options.onResponse?.({ method, url, input, status: response.status, body, requestId, attempt });
    if (!response.ok) throw toError(response, body, requestId);
    return { response, body };
  } catch (error) {
    if (error instanceof ParleyError || signal?.aborted) throw error;
    const [reason, problem] = limit.signal.aborted
      ? (['timeout', 'timed out'] as const)
      : (['connection_failed', `failed: ${describe(error)}`] as const);
    throw new ParleyError(`${method} ${url.pathname} ${problem}`, {
      reason,
      details: undefined,
      status: 0,
      code: undefined,
      requestId,
      retryAfter: undefined,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` names the problem only in the cause of its error. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = Object(error.cause) as { message?: string; code?: string };
  const cause = message || code;
  return cause === undefined ? error.message : `${error.message} (${cause})`;
}

function encode(body: unknown, headers: Record<string, string>): Pick<RequestInit, 'body' | 'headers'> {
  if (body === undefined) return { headers };
  if (body instanceof FormData) return { headers, body };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const backoff = (attempt: number): number =>
  Math.min(longestBackoffMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/** Rejects with the reason of the signal if it aborts. The work continues for other callers. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Rejects with the reason of the signal if it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Random. `crypto.randomUUID` is missing on pages without TLS. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
