import { once } from 'node:events';
import { createServer } from 'node:http';
import { getPort } from '../../src/platform/shared/listening.ts';

/** The partner's service that the bots' actions call. It runs in this process. */
export interface ActionService {
  /** `host:port`. */
  host: string;
  url: string;
  /** The number of calls, by the question of the call. */
  calls: Map<string, number>;
  /** Receives the events of a webhook. Every seventh delivery gets a 500. */
  webhookUrl: string;
  /** The teams of the confirmed events, by their ids. */
  confirmed: Map<string, string | null>;
  close(): Promise<void>;
}

export async function startActionService(): Promise<ActionService> {
  const calls: ActionService['calls'] = new Map();
  const confirmed: ActionService['confirmed'] = new Map();
  let deliveries = 0;
  const server = createServer(async (request, response): Promise<unknown> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url === '/events') {
      deliveries += 1;
      const fails = deliveries % 7 === 0;
      const { id, team_id: teamId } = JSON.parse(body);
      if (!fails) confirmed.set(id, teamId);
      return response.writeHead(fails ? 500 : 204).end();
    }
    // A port of an earlier test can get a late request of it.
    if (request.url !== '/book') return response.writeHead(404).end();
    const question = String(JSON.parse(body).question);
    calls.set(question, (calls.get(question) ?? 0) + 1);
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{"booked":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${getPort(server)}`;
  return {
    host,
    url: `http://${host}/book`,
    calls,
    webhookUrl: `http://${host}/events`,
    confirmed,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
