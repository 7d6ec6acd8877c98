import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { unknownOutcome } from '../../src/adapters/assistant-provider/assistant-provider.ts';
import { startChatApp, startTestService } from '../chats.ts';
import { eventually } from '../eventually.ts';
import { startFakeModels } from '../fake-models/fake-models.ts';
import { serverProcesses } from './server-process.ts';

/** Kills a worker process between a call that a model requested and its result. A worker in this process continues. */
const fakes = await startFakeModels();
after(() => fakes.stop());
const model = 'gpt-5-answers';
const environment = {
  ASSISTANT_PROVIDER: 'openai',
  MODEL_API_KEY: 'key',
  MODEL_BASE_URL: `${fakes.url}/v1`,
  MODEL_LEVEL_1: model,
  MODEL_LEVEL_2: 'gpt-5-other',
};
const app = await startChatApp({ environment });
const { db, databaseUrl } = app.context;
const service = await startTestService((_, response) => response.end('{"booked":true}'));
const processes = await serverProcesses({
  ...environment,
  ROLES: 'api,worker',
  DATABASE_URL: databaseUrl,
  SIMULATOR_URL: 'http://127.0.0.1:1',
  ACTION_ALLOWED_HOSTS: new URL(service.url).host,
});
const contact = '+15550199';

test('makes each call of a step once, and tells the model which outcome is unknown', async () => {
  const desk = await app.addDevice({
    actions: [{ name: 'Book', endpoint: `${service.url}/{{day}}`, method: 'POST' }],
  });
  const checks = (await fakes.requests(model)).length;
  const killed = await processes.start({ FAULT_POINT: 'answer.after_action' });
  await eventually(async () => assert.equal((await fakes.requests(model)).length, checks + 1));
  await fakes.script(model, [
    {
      reasoning: 'thought',
      text: 'One moment.',
      toolCalls: ['monday', 'tuesday'].map((day) => ({
        callId: `reasoned-${day}`,
        tool: 'Book',
        arguments: JSON.stringify({ day }),
      })),
    },
    {
      toolCalls: [
        {
          callId: 'r',
          tool: 'reply',
          arguments: '{"text":"Tuesday is booked. I do not know about monday.","sources":[]}',
        },
      ],
    },
  ]);
  await app.write(desk, contact, 'Book monday and tuesday');
  await killed.ended;
  assert.deepEqual(
    service.requests.map(({ url }) => url),
    ['/monday'],
  );
  await sql`update conversations set claimed_until = now() where device_id = ${desk.deviceId}`.execute(db);
  const next = app.startAnswering();
  assert.deepEqual(await app.untilReplied(desk, contact), ['Tuesday is booked. I do not know about monday.']);
  await next.close();
  assert.deepEqual(
    service.requests.map(({ url }) => url),
    ['/monday', '/tuesday'],
  );
  const { input } = (await fakes.requests(model)).at(-1)?.body ?? { input: [] };
  const outputs = input.filter(({ type }: { type: string }) => type === 'function_call_output');
  assert.deepEqual(
    outputs.map(({ output }: { output: string }) => output),
    [unknownOutcome, '{"booked":true}'],
  );
});
