import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { addBot, addTeam } from '../../../test/bots.ts';
import { startChatApp, startTestService, type TestService } from '../../../test/chats.ts';

const app = await startChatApp();
const { api, context } = app;
const contact = '+15550199';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const service = await startTestService((_, response) => response.end('{"message":"On its way."}'));

const signedAction = (method: string) => ({
  name: 'Order status',
  description: 'Looks up the status of an order',
  endpoint: `${service.url}/orders/{{order_number}}?lang=en%20GB`,
  method,
  headers: { 'Parley-Contact-Number': '+15550100', 'Webhook-Signature': 'v1,forged' },
  body: [{ key: 'note', value: 'größe', type: 'string' }],
  signing_secret: secret,
});
const question = 'What is the status of my order 47 11?';

type Request = TestService['requests'][number];

/** Runs the code in the documentation. */
const page = await readFile(new URL('../../../../docs/signed-actions.md', import.meta.url), 'utf8');
const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
const { verifyAction } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const verify = (request: Request): object | null => verifyAction(secret, request);

const lastRequest = (): Request => service.requests.at(-1) ?? assert.fail('nothing was called');

for (const method of ['GET', 'POST']) {
  test(`a ${method} for a contact is signed with the contact and the conversation, as the documentation verifies it`, async () => {
    const desk = await app.addDevice({ actions: [signedAction(method)] });
    const worker = app.startAnswering();
    await app.write(desk, contact, question);
    await app.untilReplied(desk, contact);
    await worker.close();
    const { id } = await app.readConversation(desk, contact);
    assert.deepEqual(verify(lastRequest()), { contactNumber: contact, conversationId: id });
  });
}

test('a test question is signed without a contact', async () => {
  const { id } = await addBot(app, await addTeam(context), { actions: [signedAction('POST')] });
  await api('POST', `/bots/${id}/ask`, { body: { question, version: 'draft' } });
  assert.deepEqual(verify(lastRequest()), { contactNumber: '', conversationId: '' });
});

test('the documented check refuses every change and an old request', async () => {
  const request = lastRequest();
  const { headers } = request;
  const changed: Request[] = [
    { ...request, method: 'PUT' },
    { ...request, url: `${request.url}0` },
    { ...request, body: `${request.body} ` },
    { ...request, headers: { ...headers, 'parley-contact-number': '+15550100' } },
    { ...request, headers: { ...headers, 'parley-conversation-id': 'x' } },
    { ...request, headers: { ...headers, 'webhook-id': 'x' } },
    { ...request, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } },
    {
      ...request,
      headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) },
    },
  ];
  for (const each of changed) assert.equal(verify(each), null, JSON.stringify(each));
  const old = String(Number(headers['webhook-timestamp']) - 301);
  const payload = [request.method, request.url, '', '', request.body].join('\n');
  const signature = createHmac('sha256', Buffer.alloc(32, 7))
    .update(`${headers['webhook-id']}.${old}.${payload}`)
    .digest('base64');
  const replayed = { ...headers, 'webhook-timestamp': old, 'webhook-signature': `v1,${signature}` };
  assert.equal(verify({ ...request, headers: replayed }), null);
});

test('get shows that an action is signed but not its secret, and update accepts what get returns', async () => {
  const { id } = await addBot(app, await addTeam(context), { actions: [signedAction('GET')] });
  const read = async () => (await api('GET', `/bots/${id}`)).body.data.actions;
  const update = (action: object) => api('PATCH', `/bots/${id}`, { body: { actions: [action] } });
  const [action] = await read();
  assert.equal(action.signed, true);
  assert.equal(JSON.stringify(action).includes(secret), false);
  assert.equal((await update(action)).status, 200);
  assert.deepEqual(await read(), [action]);
  await api('POST', `/bots/${id}/ask`, { body: { question, version: 'draft' } });
  assert.notEqual(verify(lastRequest()), null);

  assert.equal((await update({ ...action, signed: false })).status, 200);
  const [unsigned] = await read();
  assert.equal('signed' in unsigned, false);
  assert.equal((await update(unsigned)).status, 200);
  const { body, status } = await update({ ...unsigned, signed: true });
  assert.deepEqual(
    [status, body.details.issues],
    [400, [{ path: 'actions[0].signed', message: 'needs a signing_secret' }]],
  );
});

test('publishing and restoring a version keep the signing secret', async () => {
  const { id } = await addBot(app, await addTeam(context), { actions: [signedAction('GET')] });
  await api('POST', `/bots/${id}/publish`);
  await api('PATCH', `/bots/${id}`, { body: { actions: [] } });
  assert.equal((await api('POST', `/bots/${id}/versions/1/restore`)).status, 200);
  assert.equal((await api('GET', `/bots/${id}`)).body.data.actions[0].signed, true);
});

test('rejects a contradictory or malformed signing secret', async () => {
  const team_id = await addTeam(context);
  for (const [members, path] of [
    [{ signing_secret: 'whsec_short' }, 'actions[0].signing_secret'],
    [{ signed: true, signing_secret: 'whsec_short' }, 'actions[0].signing_secret'],
    [{ signed: true, signing_secret: undefined }, 'actions[0].signed'],
    [{ signed: false }, 'actions[0].signed'],
  ] as const) {
    const actions = [{ ...signedAction('GET'), ...members }];
    const { status, body } = await api('POST', '/bots', { body: { team_id, name: 'Desk', actions } });
    const paths = body.details?.issues.map((issue: { path: string }) => issue.path);
    assert.deepEqual([status, paths], [400, [path]], JSON.stringify(members));
  }
});
