import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createApiClient } from '../api-client.ts';
import { eventually } from '../eventually.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { startMailServer } from '../mail-server.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { serverProcesses } from './server-process.ts';

const database = await createTestDatabase();
after(() => database.drop());
const network = await startTestNetwork();
after(() => network.close());
const server = await startMailServer();
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key, api } = await startApiOn(oracle);
const { db } = oracle;

const processes = await serverProcesses({
  ROLES: 'worker',
  DATABASE_URL: database.url,
  SIMULATOR_URL: network.url,
  LEASE_SECONDS: '1',
  MAIL_URL: server.url,
  MAIL_FROM: 'noreply@parley.example',
  BASE_URL: 'https://parley.example.com',
});

const waiting = async (): Promise<number> => (await sql`select from mails`.execute(db)).rows.length;
const noMailWaits = () => eventually(async () => assert.equal(await waiting(), 0), 60_000);

async function assertAcceptable(mail: { text: string } | undefined): Promise<void> {
  const [, token] = /\/console\/invitation#([\w-]{43})/.exec(mail?.text ?? '') ?? [];
  const accepted = await api('POST', '/api/openapi/session/invitation/accept', {
    token: null,
    body: { token, password: 'four random words' },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(accepted.status, 200);
}

test('an invitation exists once and is mailed, although the api and then the worker are killed', async () => {
  const killed = await processes.start({ ROLES: 'api', FAULT_POINT: 'idempotency.after_commit' });
  const call = await createApiClient(killed.url, key.token);
  const invite = {
    body: { name: 'Noor', email: 'noor@example.com', role: 'support' },
    headers: { 'idempotency-key': 'noor' },
  };
  assert.equal(await call('POST', '/users', invite).catch(() => null), null);
  await killed.ended;
  assert.equal(await waiting(), 1);

  const { reached, release } = server.holdNext();
  const worker = await processes.start();
  await reached;
  await worker.kill();
  release();
  assert.equal(await waiting(), 1);

  await processes.start();
  await noMailWaits();
  // The server may have accepted the mail of the killed worker, too. Receivers drop a repeated Message-ID.
  assert.equal(new Set(server.received.map(({ messageId }) => messageId)).size, 1);
  const repeated = await api('POST', '/users', invite);
  assert.deepEqual([repeated.status, repeated.body.data.mailed], [200, true]);
  assert.equal((await api('GET', '/users')).body.data.length, 1);
  await assertAcceptable(server.received.at(-1));
  assert.equal(await waiting(), 0);
});
