import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { json } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** A client with one keep-alive connection. */
export interface KeepAliveClient {
  /** Sends a GET; rejects if the connection breaks. */
  get(path: string): Promise<Answer>;
  close(): void;
}

export function createKeepAliveClient(baseUrl: string, token: string): KeepAliveClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    get(path) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const headers = { authorization: `Bearer ${token}` };
      request(new URL(path, baseUrl), { agent, headers }, (response) => {
        const { statusCode: status = 0 } = response;
        json(response).then((body) => resolve({ status, headers: response.headers, body }), reject);
      })
        .on('error', reject)
        .end();
      return promise;
    },
    close: () => agent.destroy(),
  };
}
