import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { createVisitor, shop } from '../web-visitor.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';

const rounds = repetitions(1, 5);
const points = [
  'inbox.after_store',
  'inbox.after_receive',
  'inbound.after_commit',
  'answer.after_commit',
  'outbox.after_wire',
  'outbox.after_settle',
  'receipt.after_commit',
];
const longMs = 60_000;

const database = await createTestDatabase();
after(() => database.drop());
const network = await startTestNetwork();
after(() => network.close());
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key } = await startApiOn(oracle);

const processes = await serverProcesses({
  ROLES: 'api,pool,worker',
  DATABASE_URL: database.url,
  SIMULATOR_URL: network.url,
  LEASE_SECONDS: '1',
  RATE_LIMIT_PER_MINUTE: '0',
});
let server: ServerProcess = await processes.start();
const call = createCaller(
  () => server.url,
  () => key.token,
);
const { teamId, botId } = await createPartnerFixture(call, network);
const created = await call('POST', '/devices', {
  team_id: teamId,
  bot_id: botId,
  name: 'Shop',
  network: 'web',
});
const deviceId: string = created?.body.data.id;
await call('PATCH', `/devices/${deviceId}`, { web_chat: { allowed_origins: [shop] } });
await call('POST', `/devices/${deviceId}/connect`);

/** A visitor repeats a message under its id until it is accepted. */
const writeUntilAccepted = (visitor: ReturnType<typeof createVisitor>, id: string, text: string) =>
  eventually(async () => assert.equal((await visitor.write(id, text)).status, 200), longMs);

for (const signal of ['', ':SIGTERM'])
  test(`every message is stored and answered once, wherever the process gets ${signal === '' ? 'SIGKILL' : 'SIGTERM'}`, async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const point of points) {
        const visitor = createVisitor(() => server.url, deviceId);
        await visitor.visit();
        await server.kill();
        server = await processes.start({ FAULT_POINT: `${point}${signal}` }).catch(() => processes.start());
        const writing = writeUntilAccepted(visitor, 'message-1', 'When do you open?');
        // The read receipt may arrive before the process ends, while it ends, or again afterwards.
        const reading = writing
          .then(() => eventually(untilAnswered(visitor), longMs))
          .then(() => report(visitor, 'read'));
        await Promise.race([server.ended, reading.then(() => eventually(untilRead(visitor), longMs))]);
        await server.kill();
        server = await processes.start();
        await writing;
        await writeUntilAccepted(visitor, 'message-1', 'When do you open?');
        await eventually(untilAnswered(visitor), longMs);
        await report(visitor, 'read');
        await report(visitor, 'delivered');
        await writeUntilAccepted(visitor, 'message-2', 'Do you rent tandems?');
        await eventually(async () => {
          const chat = (await listChat(visitor)).map(({ direction, status, text }) =>
            direction === 'in' ? text : status,
          );
          assert.deepEqual(chat, ['When do you open?', 'read', 'Do you rent tandems?', 'sent'], point);
        }, longMs);
      }
  });

/** Reports all answers, and again until the report is accepted. */
const report = (visitor: ReturnType<typeof createVisitor>, state: 'delivered' | 'read') =>
  eventually(async () => {
    const ids = (await listChat(visitor)).filter(({ direction }) => direction === 'out').map(({ id }) => id);
    assert.equal((await visitor.call('POST', 'receipts', { ids, state })).status, 200);
  }, longMs);

const untilRead = (visitor: ReturnType<typeof createVisitor>) => async () =>
  assert.equal((await listChat(visitor)).at(-1)?.status, 'read');

async function listChat(visitor: ReturnType<typeof createVisitor>) {
  const query = new URLSearchParams({ device_id: deviceId, contact_number: visitor.contact() });
  const response = await call('GET', `/messages?${query}`);
  const messages = (response?.body.data ?? []) as {
    id: string;
    direction: string;
    text: string;
    status: string;
  }[];
  return messages.toReversed();
}

const untilAnswered = (visitor: ReturnType<typeof createVisitor>) => async () => {
  const answers = (await listChat(visitor)).filter(
    ({ direction, status }) => direction === 'out' && ['sent', 'delivered', 'read'].includes(status),
  );
  assert.equal(answers.length, 1);
};
