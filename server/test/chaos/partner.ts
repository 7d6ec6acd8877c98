import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/platform/shared/ids.ts';
import type { ApiBody } from '../api-client.ts';

/** A final response: success, or a refusal that a retry would repeat. */
export interface Answer {
  status: number;
  body: ApiBody;
}

/** A partner who retries a request under one Idempotency-Key until the response is final. */
export interface Partner {
  call(method: string, path: string, body?: () => object | FormData): Promise<Answer>;
  /** Returns the data; throws unless the response is 200. */
  request(method: string, path: string, body?: () => object | FormData): Promise<ApiBody['data']>;
}

/** Longer than the slowest recovery. */
const timeoutMs = 300_000;
const attemptTimeoutMs = 8_000;
const retryDelayMs = 100;

/** `apiUrl(n)` is the API for the n-th attempt. */
export function createPartner({ apiUrl, token }: { apiUrl: (n: number) => string; token: string }): Partner {
  let attempts = 0;
  const call: Partner['call'] = async (method, path, body) => {
    const key = newId();
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      attempts += 1;
      const url = `${apiUrl(attempts)}${path.startsWith('/api/') ? path : `/api/openapi/v1${path}`}`;
      const answer = await attempt(url, { method, key, token, body: body?.() });
      if (typeof answer !== 'string') return answer;
      if (performance.now() > deadline) throw new Error(`${method} ${path} has no final response: ${answer}`);
      await delay(retryDelayMs);
    }
  };
  return {
    call,
    async request(method, path, body) {
      const { status, body: response } = await call(method, path, body);
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(response)}`);
      return response.data;
    },
  };
}

interface Attempt {
  method: string;
  key: string;
  token: string;
  body: object | FormData | undefined;
}

/** Returns the reason as a text if there is no final response. */
async function attempt(url: string, { method, key, token, body }: Attempt): Promise<Answer | string> {
  const multipart = body instanceof FormData;
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'POST' ? { 'idempotency-key': key } : {}),
        ...(body === undefined || multipart ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: multipart ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    const answer = { status: response.status, body: (await response.json()) as ApiBody };
    const reason = String(answer.body.details?.reason);
    const isTemporary = answer.status >= 500 && reason !== 'network_refused';
    return isTemporary || reason === 'idempotency_in_flight' ? `${answer.status} ${reason}` : answer;
  } catch (error) {
    return error instanceof DOMException ? 'timed out' : 'no connection';
  }
}
