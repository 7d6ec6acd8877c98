import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newPerson } from '../cloud-numbers.ts';
import { eventually } from '../eventually.ts';
import { startFakeGraph } from '../fake-graph/fake-graph.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { reservePort } from '../reserved-port.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';

const rounds = repetitions(1, 4);
/** After these, the answer is stored. */
const points = ['inbox.after_store', 'inbox.after_receive', 'inbound.after_commit', 'answer.after_commit'];
/** During these, the network may have taken the answer: it is sent at most once. */
const sending = ['outbox.after_claim', 'outbox.after_wire', 'outbox.after_settle', 'receipt.after_commit'];
const longMs = 60_000;

const database = await createTestDatabase();
after(() => database.drop());
const simulated = await startTestNetwork();
after(() => simulated.close());
const graph = await startFakeGraph();
after(() => graph.stop());
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key } = await startApiOn(oracle);
// The network knows one address of the webhook.
const port = await reservePort();
after(() => port.release());

const processes = await serverProcesses({
  ROLES: 'api,pool,worker',
  PORT: String(port.port),
  DATABASE_URL: database.url,
  SIMULATOR_URL: simulated.url,
  MESSAGING_NETWORK: 'simulator,whatsapp_cloud',
  WHATSAPP_CLOUD_BASE_URL: graph.url,
  LEASE_SECONDS: '1',
  RATE_LIMIT_PER_MINUTE: '0',
});

let server: ServerProcess = await processes.start();
const call = createCaller(
  () => server.url,
  () => key.token,
);
const { teamId, botId } = await createPartnerFixture(call, simulated);
const created = await call('POST', '/devices', {
  team_id: teamId,
  bot_id: botId,
  name: 'Desk',
  network: 'whatsapp_cloud',
});
const deviceId: string = created?.body.data.id;
const credentials = await graph.addNumber('15550200000');
const stored = await call('PUT', `/devices/${deviceId}/credentials`, credentials);
const { webhook_url: webhookUrl, verify_token: token } = stored?.body.data ?? {};
assert.equal(await graph.setWebhook(credentials.phone_number_id, webhookUrl, token), true);
await call('POST', `/devices/${deviceId}/connect`);
const phone = credentials.phone_number_id;

interface Shown {
  direction: 'in' | 'out';
  status: string;
  text: string;
}

const listChat = async (person: { wa_id: string }): Promise<Shown[]> => {
  const query = new URLSearchParams({ device_id: deviceId, contact_number: `+${person.wa_id}` });
  const response = await call('GET', `/messages?${query}`);
  return ((response?.body.data ?? []) as Shown[]).toReversed();
};

const sentTo = async (person: { wa_id: string }) =>
  (await graph.sent(phone)).filter(({ to }) => to === person.wa_id).length;

const untilAnswered = (person: { wa_id: string }) => async () => {
  const answers = (await listChat(person)).filter(({ direction }) => direction === 'out');
  assert.equal(answers.length, 1);
  assert.ok(['delivered', 'unknown'].includes(answers[0]?.status ?? ''), answers[0]?.status);
};

for (const signal of ['', ':SIGTERM'])
  for (const point of [...points, ...sending])
    test(`stores a message once and sends its answer at most once: ${signal === '' ? 'SIGKILL' : 'SIGTERM'} at ${point}`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = newPerson();
        await server.kill();
        server = await processes.start({ FAULT_POINT: `${point}${signal}` }).catch(() => processes.start());
        await graph.write(phone, person, 'When do you open?');
        await Promise.race([server.ended, eventually(untilAnswered(person), longMs)]);
        await server.kill();
        server = await processes.start();
        await eventually(untilAnswered(person), longMs);
        const chat = await listChat(person);
        assert.deepEqual(
          chat.filter(({ direction }) => direction === 'in').map(({ text }) => text),
          ['When do you open?'],
        );
        const copies = await sentTo(person);
        const wasTaken = chat.some(({ status }) => status === 'delivered');
        assert.equal(copies, wasTaken ? 1 : 0, `${copies} copies of an answer`);
        if (points.includes(point)) assert.equal(copies, 1);
      }
    });
