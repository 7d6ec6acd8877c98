import { neverConnected, readBounded } from '../network-call.ts';

/** The Graph API refused a call. It did nothing. */
export class GraphRefusal extends Error {
  override readonly name = 'GraphRefusal';
  readonly status: number;
  /** Its own number of the error, 0 if it gave none. */
  readonly code: number;
  /** After which time it would accept the call, if it says so. */
  readonly retryAfterSeconds: number | null;
  /** What the network says to people. */
  readonly explanation: string;
  constructor(
    status: number,
    code: number,
    message: string,
    { retryAfterSeconds = null, explanation = message }: Partial<GraphRefusal> = {},
  ) {
    super(`the Graph API refused a call with ${status}, error ${code}: ${message}`);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.explanation = explanation;
  }
}

/** There was no response, or one that does not say whether the call had an effect. */
export class GraphUnreachable extends Error {
  override readonly name = 'GraphUnreachable';
  readonly mayHaveArrived: boolean;
  constructor(mayHaveArrived: boolean, cause: unknown) {
    super('the Graph API did not respond', { cause });
    this.mayHaveArrived = mayHaveArrived;
  }
}

type Json = Readonly<Record<string, unknown>>;

export interface GraphClient {
  /** `path` begins with the id of an object. Throws `GraphRefusal` or `GraphUnreachable`. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, options?: CallOptions): Promise<Json>;
  /** Returns null for a file over the limit. */
  download(url: string, options: { maxBytes: number; signal?: AbortSignal }): Promise<Buffer | null>;
}

interface CallOptions {
  body?: Json | FormData;
  signal?: AbortSignal;
}

const timeoutMs = 12_000;
const maxResponseBytes = 4 * 1024 * 1024;

export function createGraphClient(baseUrl: string, accessToken: string): GraphClient {
  const request = async (url: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const headers = { authorization: `Bearer ${accessToken}`, ...init.headers };
    const both = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    try {
      return await fetch(url, { ...init, headers, redirect: 'manual', signal: both });
    } catch (error) {
      throw new GraphUnreachable(!neverConnected(error), error);
    }
  };
  return {
    async call(method, path, { body, signal } = {}) {
      const isForm = body instanceof FormData;
      const response = await request(
        `${baseUrl}/${path}`,
        {
          method,
          ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
          ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
        },
        signal,
      );
      const parsed = await readJson(response);
      if (response.ok && parsed !== null) return parsed;
      if (response.ok || response.status >= 500)
        throw new GraphUnreachable(true, new Error(`the response had status ${response.status}`));
      throw toRefusal(response, parsed);
    },

    async download(url, { maxBytes, signal }) {
      const response = await request(url, { method: 'GET' }, signal);
      if (!response.ok) throw new GraphRefusal(response.status, 0, 'a file could not be downloaded');
      try {
        return await readBounded(response, maxBytes);
      } catch (error) {
        throw new GraphUnreachable(true, error);
      }
    },
  };
}

async function readJson(response: Response): Promise<Json | null> {
  try {
    const bytes = await readBounded(response, maxResponseBytes);
    const parsed: unknown = JSON.parse(String(bytes));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : null;
  } catch {
    return null;
  }
}

function toRefusal(response: Response, body: Json | null): GraphRefusal {
  // The network's description of its errors.
  const { code, message, error_user_msg } = (body?.['error'] ?? {}) as Json;
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  const text = typeof message === 'string' ? message : '';
  return new GraphRefusal(response.status, Number(code) || 0, text, {
    retryAfterSeconds: wait > 0 ? wait : null,
    explanation: typeof error_user_msg === 'string' ? error_user_msg : text,
  });
}
