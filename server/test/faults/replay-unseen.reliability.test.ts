import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment } from '../start-stop/deployment.ts';
import {
  contact,
  createLinkedBot,
  devicePhone,
  signIn,
  waitUntilReceived,
  write,
} from '../start-stop/linked-bot.ts';

/** Starts a witness in a process of its own. */
async function startWitness() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'replay-witness.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill());
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const seen = async () => (await (await fetch(`${url}/seen`)).json()) as { url: string; body: string }[];
  return { url, seen };
}

test('a network, a host of actions and a receiver of events in other processes see nothing of a replay', async () => {
  const [host, receiver] = [await startWitness(), await startWitness()];
  const network = await (await createDeployment()).start({ ROLES: 'simulator' });
  const deployment = await createDeployment();
  const program = await deployment.start({
    SIMULATOR_URL: network.simulator,
    ACTION_ALLOWED_HOSTS: '127.0.0.1',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    DISCLOSURE_DEFAULT: 'off',
    DISCLOSURE_OFF_REASON: 'tests',
  });
  const partner = await signIn(program);
  const action = {
    name: 'Order status',
    description: 'Looks up the status of an order',
    endpoint: `${host.url}/orders/{{order_number}}`,
    method: 'POST',
  };
  const { botId, teamId } = await createLinkedBot(partner, { actions: [action] });
  await partner.call('POST', '/webhooks', { team_id: teamId, url: receiver.url, events: ['*'] });
  const asked = 'What is the status of order A-17?';
  await write(partner, asked);
  await waitUntilReceived(partner, 'On its way.');
  assert.equal((await host.seen()).length, 1);
  for (const text of [asked, 'What is the status of order B-18?', 'I want to talk to a person'])
    await partner.call('POST', `/bots/${botId}/cases`, { messages: [{ role: 'contact', text }] });
  const journal = () => {
    const query = new URLSearchParams({ contact, device: devicePhone });
    return partner.call<object[]>('GET', `/simulator/messages?${query}`);
  };
  const events = async () =>
    (await receiver.seen()).map(({ body }) => JSON.parse(body) as { type: string; created_at: string });
  const typesSeen = async () => (await events()).map(({ type }) => type);
  // What the answer itself causes arrives first.
  await eventually(async () => assert.ok((await typesSeen()).includes('message.delivered')), 30_000);
  const before = { journal: await journal(), host: await host.seen() };

  const sources = ['cases', 'recent'];
  const { id, created_at: begun } = await partner.call<{ id: string; created_at: string }>(
    'POST',
    `/bots/${botId}/runs`,
    { sources },
  );
  await eventually(async () => assert.ok((await typesSeen()).includes('run.finished')), 60_000);
  const run = await partner.call<{ state: string; total: number }>('GET', `/runs/${id}`);
  assert.deepEqual([run.state, run.total], ['finished', 4]);
  assert.deepEqual({ journal: await journal(), host: await host.seen() }, before);
  const since = (await events()).filter(({ created_at }) => created_at >= begun).map(({ type }) => type);
  assert.deepEqual(since, ['run.finished']);
});
