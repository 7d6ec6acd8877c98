import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp, startTestService } from '../chats.ts';
import { serverProcesses } from './server-process.ts';

/** Kills a worker process around a call of an action. A worker in this process continues. */
const app = await startChatApp();
const { db, databaseUrl } = app.context;
const service = await startTestService((_, response) => response.end('{"message":"It is on its way."}'));
const processes = await serverProcesses({
  ROLES: 'api,worker',
  DATABASE_URL: databaseUrl,
  SIMULATOR_URL: 'http://127.0.0.1:1',
  ACTION_ALLOWED_HOSTS: new URL(service.url).host,
});
const contact = '+15550199';

/** Creates a device whose bot looks an order up with this method. */
const addDevice = (method: string): Promise<ChatDevice> =>
  app.addDevice({
    actions: [
      {
        name: 'Order status',
        description: 'Looks up the status of an order',
        endpoint: `${service.url}/${method}/{{order}}`,
        method,
      },
    ],
  });

/** Kills a worker at the fault point while it answers, and returns the reply of the next worker and the calls. */
async function answerAfterKill(method: string, point: string): Promise<{ reply: string; calls: string[] }> {
  const desk = await addDevice(method);
  const killed = await processes.start({ FAULT_POINT: point });
  await app.write(desk, contact, 'What is the status of order 4711?');
  await killed.ended;
  await sql`update conversations set claimed_until = now() where device_id = ${desk.deviceId}`.execute(db);
  const next = app.startAnswering();
  const [reply = ''] = await app.untilReplied(desk, contact);
  await next.close();
  const calls = service.requests.filter(({ url }) => url.startsWith(`/${method}/`)).map(({ url }) => url);
  return { reply, calls };
}

test('does not repeat a POST whose process died before its result was stored', async () => {
  const { reply, calls } = await answerAfterKill('POST', 'answer.after_action');
  assert.deepEqual(calls, ['/POST/4711']);
  assert.match(reply, /could not confirm/);
});

test('repeats a GET whose process died before its result was stored', async () => {
  const { reply, calls } = await answerAfterKill('GET', 'answer.after_action');
  assert.deepEqual(calls, ['/GET/4711', '/GET/4711']);
  assert.equal(reply, 'It is on its way.');
});

test('repeats no call whose result is stored', async () => {
  const { reply, calls } = await answerAfterKill('PUT', 'answer.after_step@2');
  assert.deepEqual(calls, ['/PUT/4711']);
  assert.equal(reply, 'It is on its way.');
});
