import { setTimeout as delay } from 'node:timers/promises';
import type { Phones } from './fixtures.ts';

/** The phones of contacts and devices. The simulator behind them may be down for a while. */
export interface NetworkPhones extends Phones {
  /** Retries until the network has stored the message; retries with one id are one message. */
  write(message: { from: string; to: string; text: string; id: string }): Promise<void>;
  injectFault(fault: { device: string; fault: string; count: number; ms: number }): Promise<void>;
}

const timeoutMs = 240_000;

export function createPhones(url: () => string): NetworkPhones {
  /** Returns null without a response. */
  const post = async (path: string, body: object): Promise<number | null> => {
    try {
      const response = await fetch(`${url()}/simulator/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  };
  const postUntilAccepted = async (path: string, body: object): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    for (let status = await post(path, body); status !== 200; status = await post(path, body)) {
      if (performance.now() > deadline) throw new Error(`the network returns ${status} for ${path}`);
      await delay(100);
    }
  };
  return {
    scan: async (qr, phone) => (await post('scan', { qr, phone_number: phone })) === 200,
    write: (message) => postUntilAccepted('messages', message),
    injectFault: (fault) => postUntilAccepted('faults', fault),
  };
}
