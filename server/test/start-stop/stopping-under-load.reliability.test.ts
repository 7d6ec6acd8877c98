import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment, key, type Program } from './deployment.ts';
import { type GatedService, startGatedService } from './gated-service.ts';
import { type Answer, createKeepAliveClient } from './keep-alive-client.ts';
import {
  answer,
  beginSend,
  createLinkedBot,
  question,
  received,
  signIn,
  timeoutMs,
  waitUntilConnected,
  waitUntilReceived,
  write,
} from './linked-bot.ts';

const rentalQuestion = 'What is the status of rental R-4711?';

/** Creates a deployment and an action that calls the gated service. */
async function createDeploymentWithAction(service: GatedService) {
  const deployment = await createDeployment({
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET: key.key_secret,
    ACTION_ALLOWED_HOSTS: service.host,
  });
  const action = {
    name: 'Rental status',
    description: 'Looks up the status of a rental by its number',
    endpoint: `http://${service.host}/rentals/{{rental_number}}`,
    body: [],
  };
  return { deployment, bot: { actions: [action] } };
}

async function fetchToken({ url }: Program): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(key) };
  const exchanged = await fetch(`${url}/api/openapi/auth/token`, request);
  const { data } = (await exchanged.json()) as { data: { access_token: string } };
  return data.access_token;
}

/** Reads over one connection until it is refused. Returns all responses. */
async function readUntilRefused(url: string, token: string): Promise<Answer[]> {
  const client = createKeepAliveClient(url, token);
  const answers: Answer[] = [];
  do answers.push(await client.get('/api/openapi/v1/teams'));
  while (answers.at(-1)?.status === 200);
  client.close();
  return answers;
}

test('a stop finishes running requests, returns 503 to new ones and cuts no connection', async () => {
  const service = await startGatedService();
  const { deployment, bot } = await createDeploymentWithAction(service);
  const program = await deployment.start();
  const partner = await signIn(program);
  const { deviceId, botId } = await createLinkedBot(partner, bot);
  const token = await fetchToken(program);
  const asking = partner.call<{ answer: string }>('POST', `/bots/${botId}/ask`, {
    question: rentalQuestion,
  });
  await service.waitForRequests(1);
  const { outcome } = await beginSend(partner, deviceId, 60_000);
  const readers = Array.from({ length: 16 }, () => readUntilRefused(program.url, token));

  program.child.kill('SIGTERM');
  for (const answers of await Promise.all(readers)) {
    const refusal = answers.at(-1);
    assert.equal(refusal?.status, 503, JSON.stringify(refusal?.body));
    assert.equal(refusal?.headers['retry-after'], '1');
    assert.match(JSON.stringify(refusal?.body), /"code":"INTERNAL_ERROR".*"reason":"stopping"/);
  }
  service.open();
  assert.match((await asking).answer, /active/);
  assert.match((await outcome).status, /sent|accepted/);
  assert.equal(await program.ended, 0);
});

test('the next start completes an interrupted answer once', async () => {
  const service = await startGatedService();
  const { deployment, bot } = await createDeploymentWithAction(service);
  const first = await deployment.start();
  const before = await signIn(first);
  const { deviceId } = await createLinkedBot(before, bot);
  await write(before, rentalQuestion);
  await service.waitForRequests(1);
  await first.stop();

  service.open();
  const next = await deployment.start();
  const partner = await signIn(next);
  await waitUntilConnected(partner, deviceId);
  await eventually(async () => assert.equal((await received(partner)).length, 1), timeoutMs);
  const [status = ''] = await received(partner);
  assert.match(status, /active/);
  // A second answer to the first question would arrive before this answer.
  await write(partner, question);
  await waitUntilReceived(partner, status, answer);
  await service.waitForRequests(2);
  await next.stop();
});
