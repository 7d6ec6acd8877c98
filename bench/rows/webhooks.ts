import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { getPort, getUrl } from '../../server/src/platform/shared/listening.ts';
import { createDatabase } from '../rig/list-database.ts';
import { median } from '../rig/median.ts';
import { newDeployment, type ParleyProcess, startParley } from '../rig/parley-process.ts';
import type { FigureRow } from './row.ts';

/** Posts at once, to one receiver, on both sides. */
const connections = 16;
const eventsPerSecond = 4_000;

/** Compares deliveries of events to one webhook with bare posts of undici to the same receiver. */
export const webhooks: FigureRow = {
  name: 'webhooks',
  work: 'Deliveries of events to one webhook, relative to bare posts of undici',
  async measure(rig) {
    await using ends = new AsyncDisposableStack();
    const receiver = await startReceiver();
    ends.defer(() => receiver.close());
    const databaseUrl = await createDatabase(rig, 'webhooks');
    const parley = await startParley({
      ...rig,
      deployment: newDeployment(databaseUrl),
      log: 'webhooks',
      roles: 'api,pool,worker',
      variables: { WEBHOOK_ALLOWED_HOSTS: receiver.host },
    });
    ends.defer(() => parley.stop());
    await addWebhook(parley, receiver.url);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    ends.defer(() => client.end());
    const { pairs, secondsEach } = rig.effort;
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const bare = await postsPerSecond(receiver.url, secondsEach);
      ratios.push((await deliveriesPerSecond(client, receiver, eventsPerSecond * secondsEach)) / bare);
    }
    return [{ figure: 'relative to bare posts', value: median(ratios), unit: 'x', goal: { atLeast: 0.3 } }];
  },
};

interface Receiver {
  url: string;
  host: string;
  received(): number;
  close(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  let received = 0;
  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${getUrl('127.0.0.1', server)}/hook`,
    host: `127.0.0.1:${getPort(server)}`,
    received: () => received,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function addWebhook({ url, token }: ParleyProcess, receiverUrl: string): Promise<void> {
  const response = await fetch(`${url}/api/openapi/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiverUrl, events: ['message.received'] }),
  });
  if (!response.ok) throw new Error(`the webhook was not created: ${await response.text()}`);
}

async function postsPerSecond(url: string, seconds: number): Promise<number> {
  const pool = new Pool(new URL(url).origin, { connections });
  const body = JSON.stringify({ id: 'x'.repeat(36), data: { text: 'x'.repeat(300) } });
  const headers = { 'content-type': 'application/json' };
  const startedAt = performance.now();
  let posts = 0;
  const post = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const response = await pool.request({ method: 'POST', path: '/hook', headers, body });
      await response.body.dump();
      posts += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  const elapsed = (performance.now() - startedAt) / 1000;
  await pool.close();
  return posts / elapsed;
}

/**
 * Commits events at once and waits until all are delivered. The time begins at the commit, because the row `event-cost` measures how
 * long events take to write. It includes the wait until a worker looks for events.
 */
async function deliveriesPerSecond(client: pg.Client, receiver: Receiver, events: number): Promise<number> {
  const before = receiver.received();
  await client.query(
    `insert into events (type, team_id, device_id, contact_number, data)
     select 'message.received', gen_random_uuid(), gen_random_uuid(), '+1555' || n,
            jsonb_build_object('message_id', gen_random_uuid(), 'text', repeat('x', 200))
     from generate_series(1, $1::int) n`,
    [events],
  );
  const startedAt = performance.now();
  while (receiver.received() - before < events) await delay(5);
  return events / ((performance.now() - startedAt) / 1000);
}
