import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newPerson } from '../cloud-numbers.ts';
import { eventually } from '../eventually.ts';
import { startFakeGraph } from '../fake-graph/fake-graph.ts';
import { reservePort } from '../reserved-port.ts';
import { longMs, signals, startPushedNetwork } from './pushed-network.ts';
import { repetitions } from './repetitions.ts';

const rounds = repetitions(1, 4);
const began = new Date();
/** After these, the answer is stored. */
const points = ['inbox.after_store', 'inbox.after_receive', 'inbound.after_commit', 'answer.after_commit'];
/** During these, the network may have taken the answer: it is sent at most once. */
const sending = ['outbox.after_claim', 'outbox.after_wire', 'outbox.after_settle', 'receipt.after_commit'];

const graph = await startFakeGraph();
after(() => graph.stop());
// The network knows one address of the webhook.
const port = await reservePort();
after(() => port.release());
const { call, deviceId, ended, restart, listChat } = await startPushedNetwork('whatsapp_cloud', {
  PORT: String(port.port),
  WHATSAPP_CLOUD_BASE_URL: graph.url,
});
const credentials = await graph.addNumber('15550200000');
const stored = await call('PUT', `/devices/${deviceId}/credentials`, credentials);
const { webhook_url: webhookUrl, verify_token: token } = stored?.body.data ?? {};
assert.equal(await graph.setWebhook(credentials.phone_number_id, webhookUrl, token), true);
await call('POST', `/devices/${deviceId}/connect`);
const phone = credentials.phone_number_id;

const numberOf = (person: { wa_id: string }) => `+${person.wa_id}`;

const sentTo = async (person: { wa_id: string }) =>
  (await graph.sent(phone)).filter(({ to }) => to === person.wa_id).length;

const untilAnswered = (person: { wa_id: string }) => async () => {
  const answers = (await listChat(numberOf(person))).filter(({ direction }) => direction === 'out');
  assert.equal(answers.length, 1);
  assert.ok(['delivered', 'unknown'].includes(answers[0]?.status ?? ''), answers[0]?.status);
};

for (const { name, suffix } of signals)
  for (const point of [...points, ...sending])
    test(`stores a message once and sends its answer at most once: ${name} at ${point}`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = newPerson();
        await restart(`${point}${suffix}`);
        await graph.write(phone, person, 'When do you open?');
        await Promise.race([ended(), eventually(untilAnswered(person), longMs)]);
        await restart();
        await eventually(untilAnswered(person), longMs);
        const chat = await listChat(numberOf(person));
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

test('counts the price of each delivered answer once, whatever ended the process', async () => {
  const { team_id: teamId } = (await call('GET', `/devices/${deviceId}`))?.body.data ?? {};
  // A last status may arrive between the two reads.
  await eventually(async () => {
    const listed = await call('GET', `/messages?device_id=${deviceId}&direction=out&limit=100`);
    const priced = listed?.body.data.filter(({ pricing }: { pricing?: object }) => pricing !== undefined);
    const months = new Set([began, new Date()].map((time) => time.toISOString().slice(0, 7)));
    let counted = 0;
    for (const month of months) {
      const usage = await call('GET', `/teams/${teamId}/usage?month=${month}`);
      for (const { not_billable } of usage?.body.data.message_prices ?? []) counted += not_billable;
    }
    assert.ok(counted > 0);
    assert.equal(counted, priced.length);
  }, longMs);
});
