import { setTimeout as delay } from 'node:timers/promises';
import type { Phones } from './fixtures.ts';

/** The contacts' and the linked phones' side of the simulated network, which may be away for a while. */
export interface NetworkPhones extends Phones {
  /** Resolves when the network has it for certain; the same id is one message, however often it is tried. */
  write(message: { from: string; to: string; text: string; id: string }): Promise<void>;
  order(fault: { device: string; fault: string; count: number; ms: number }): Promise<void>;
}

const patienceMs = 60_000;

export function createPhones(url: () => string): NetworkPhones {
  /** Null when there was no answer. */
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
  const insist = async (path: string, body: object): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    for (let status = await post(path, body); status !== 200; status = await post(path, body)) {
      if (performance.now() > deadline) throw new Error(`the network answers ${path} with ${status}`);
      await delay(100);
    }
  };
  return {
    scan: async (qr, phone) => (await post('scan', { qr, phone_number: phone })) === 200,
    write: (message) => insist('messages', message),
    order: (fault) => insist('faults', fault),
  };
}
