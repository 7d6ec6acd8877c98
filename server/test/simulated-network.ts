import assert from 'node:assert/strict';
import { startSimulator } from '@parley/simulator';

/** A simulated network in this process. */
export interface TestNetwork {
  url: string;
  close(): Promise<void>;
  /** Returns the HTTP status. */
  scan(qr: string, phone: string): Promise<number>;
  write(message: {
    from: string;
    to: string;
    text?: string;
    id?: string;
    image_base64?: string;
  }): Promise<void>;
  fault(device: string, fault: string, options?: { count?: number; ms?: number }): Promise<void>;
  /** Returns the messages that the contact received from the device, in order. */
  received(
    contact: string,
    device: string,
  ): Promise<{ id: string; kind: string; text: string | null; copies: number }[]>;
}

export const silent = { info() {}, warn() {}, error() {} };

export async function startTestNetwork(options: { qrLifetimesMs?: number[] } = {}): Promise<TestNetwork> {
  const simulator = await startSimulator({
    dataDir: null,
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    ...options,
  });
  const post = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${simulator.url}/simulator/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
  return {
    url: simulator.url,
    close: () => simulator.close(),
    scan: (qr, phone) => post('scan', { qr, phone_number: phone }),
    write: async (message) => assert.equal(await post('messages', message), 200),
    fault: async (device, fault, more = {}) =>
      assert.equal(await post('faults', { device, fault, ...more }), 200),
    async received(contact, device) {
      const query = new URLSearchParams({ contact, device });
      const response = await fetch(`${simulator.url}/simulator/messages?${query}`);
      // The simulator's own shape.
      const { data } = (await response.json()) as {
        data: { id: string; kind: string; direction: string; text: string | null; copies: number }[];
      };
      return data.filter(({ direction }) => direction === 'out');
    },
  };
}
