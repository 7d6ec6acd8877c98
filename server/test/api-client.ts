import assert from 'node:assert/strict';
import { createResponseCheck, type OpenapiDocument } from './response-check.ts';

/** A response that conforms to the OpenAPI document. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed envelope; `bytes` has the raw body. */
  body: ApiBody;
  bytes: Uint8Array;
}

/** The response envelope. Tests assert on members without types. */
export interface ApiBody {
  success: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on members of many shapes; the schema check types them
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  meta?: any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  error?: any;
  code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  details?: any;
}

export interface CallOptions {
  /** Sent as JSON; a `FormData` as multipart, a string or `Blob` unchanged. */
  body?: unknown;
  /** Default: the client's token. Null sends no token. */
  token?: string | null;
  headers?: Record<string, string>;
}

export type Api = (method: string, path: string, options?: CallOptions) => Promise<ApiResponse>;

/** Paths are relative to `/api/openapi/v1` unless they begin with `/api/`. */
export async function createApiClient(baseUrl: string, defaultToken: string | null): Promise<Api> {
  const document = (await (await fetch(`${baseUrl}/api/openapi/openapi.json`)).json()) as OpenapiDocument;
  const check = createResponseCheck(document);
  return async (method, path, { body, token = defaultToken, headers = {} } = {}) => {
    const fullPath = path.startsWith('/api/') ? path : `/api/openapi/v1${path}`;
    const response = await fetch(baseUrl + fullPath, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...typeOf(body),
        ...headers,
      },
      ...(body === undefined ? {} : { body: encode(body) }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const json = response.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed: ApiBody = json
      ? JSON.parse(Buffer.from(bytes).toString())
      : { success: response.ok, data: null };
    check({ method, path: fullPath, status: response.status, body: json ? parsed : undefined });
    assert.ok(response.headers.get('x-request-id'), 'every response carries X-Request-Id');
    return { status: response.status, headers: response.headers, body: parsed, bytes };
  };
}

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' };

const encode = (body: unknown): string | FormData | Blob =>
  typeof body === 'string' || body instanceof FormData || body instanceof Blob ? body : JSON.stringify(body);
