import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/shared/ids.ts';
import type { ApiBody } from '../api-client.ts';

/** A definite answer: a success, or a refusal that a repeat would get as well. */
export interface Answer {
  status: number;
  body: ApiBody;
}

/** A partner who repeats a request, under one Idempotency-Key, until there is a definite answer. */
export interface Partner {
  call(method: string, path: string, body?: () => object | FormData): Promise<Answer>;
  /** The same; its data, where it must succeed. */
  must(method: string, path: string, body?: () => object | FormData): Promise<ApiBody['data']>;
  /** How many tries were answered with what is no definite answer, by what it was. */
  troubles: Map<string, number>;
  /** When each success came, by `performance.now()`. */
  successes: number[];
}

/** Nothing takes longer than the slowest recovery. */
const patienceMs = 90_000;
const tryMs = 8_000;
const pauseMs = 100;

/** `apiUrl`: of an api for the n-th try. */
export function createPartner({ apiUrl, token }: { apiUrl: (n: number) => string; token: string }): Partner {
  const troubles = new Map<string, number>();
  const successes: number[] = [];
  let tries = 0;
  const call: Partner['call'] = async (method, path, body) => {
    const key = newId();
    const deadline = performance.now() + patienceMs;
    for (;;) {
      tries += 1;
      const url = `${apiUrl(tries)}${path.startsWith('/api/') ? path : `/api/openapi/v1${path}`}`;
      const answer = await attempt(url, { method, key, token, body: body?.() });
      if (typeof answer !== 'string') {
        if (answer.status === 200) successes.push(performance.now());
        return answer;
      }
      troubles.set(answer, (troubles.get(answer) ?? 0) + 1);
      if (performance.now() > deadline)
        throw new Error(`${method} ${path} has no definite answer: ${answer}`);
      await delay(pauseMs);
    }
  };
  return {
    call,
    troubles,
    successes,
    async must(method, path, body) {
      const { status, body: answered } = await call(method, path, body);
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answered)}`);
      return answered.data;
    },
  };
}

interface Try {
  method: string;
  key: string;
  token: string;
  body: object | FormData | undefined;
}

/** A text says why there is no definite answer. */
async function attempt(url: string, { method, key, token, body }: Try): Promise<Answer | string> {
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
      signal: AbortSignal.timeout(tryMs),
    });
    // Envelopes, of which a few members are looked at.
    const answer = { status: response.status, body: (await response.json()) as ApiBody };
    const reason = String(answer.body.details?.reason);
    return answer.status >= 500 || reason === 'idempotency_in_flight' ? `${answer.status} ${reason}` : answer;
  } catch (error) {
    return error instanceof DOMException ? 'no answer in time' : 'no connection';
  }
}
