import { once } from 'node:events';
import { createServer } from 'node:http';
import { getPort } from '../../src/shared/listening.ts';

/** The partner's service that the bots' actions call. It runs in this process. */
export interface ActionService {
  /** `host:port`. */
  host: string;
  url: string;
  /** The Idempotency-Keys of the calls, by the question of the call. */
  keys: Map<string, Set<string>>;
  close(): Promise<void>;
}

export async function startActionService(): Promise<ActionService> {
  const keys: ActionService['keys'] = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const question = String(JSON.parse(body).question);
    const known = keys.get(question) ?? new Set();
    keys.set(question, known.add(String(request.headers['idempotency-key'])));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"booked":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${getPort(server)}`;
  return {
    host,
    url: `http://${host}/book`,
    keys,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
