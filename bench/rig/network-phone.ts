import { Agent, request } from 'node:http';

/** The contacts' phones on the simulated network. */
export interface Phones {
  write(message: { from: string; to: string; text: string }): Promise<void>;
  close(): void;
}

/** `url` is the network's base URL. */
export function openPhones(url: string): Phones {
  const agent = new Agent({ keepAlive: true });
  return {
    write(message) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const body = JSON.stringify(message);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      request(`${url}/simulator/messages`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.once('end', () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`the network returned ${response.statusCode}`)),
        );
      })
        .once('error', reject)
        .end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}
