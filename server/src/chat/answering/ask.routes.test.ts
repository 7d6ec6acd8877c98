import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam } from '../../../test/bots.ts';
import { startChatApp, startTestService } from '../../../test/chats.ts';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { newId } from '../../platform/shared/ids.ts';
import { ProviderError } from '../../ports/provider-error.ts';

const trouble: { step?: AssistantProvider['step'] } = {};
const app = await startChatApp({
  provider: (real) => ({ ...real, step: (turn, signal) => (trouble.step ?? real.step)(turn, signal) }),
});
const { api, context } = app;
const { db } = context;
const teamId = await addTeam(context);

const ask = (botId: string, body: object, options = {}) =>
  api('POST', `/bots/${botId}/ask`, { body, ...options });
const publish = (botId: string) => api('POST', `/bots/${botId}/publish`);
const opening = (answer: string) => ({ questions: [{ question: 'When do you open?', answer }] });
const question = 'When do you open?';

test('reports the pair and the cost of an answer', async () => {
  const { id } = await addBot(app, teamId, { ...opening('At nine.'), chat_model_level: 3 });
  await publish(id);
  const before = await app.creditsUsed({ teamId });
  const { status, body } = await ask(id, { question });
  assert.equal(status, 200);
  assert.deepEqual([body.data.answer, body.data.answered], ['At nine.', true]);
  assert.equal(body.data.trace.pair.question, question);
  assert.deepEqual([body.data.trace.passages, body.data.trace.actions], [[], []]);
  assert.deepEqual(body.data.trace.usage, { input_tokens: 0, output_tokens: 0, credits: 4, cost: 0 });
  assert.ok(Number.isInteger(body.data.trace.elapsed_ms));
  assert.deepEqual(Object.keys(body.data), ['answer', 'answered', 'trace']);
  assert.equal((await app.creditsUsed({ teamId })) - before, 4);
});

test('reports the document id of each passage', async () => {
  const document = await addDocument(context, teamId);
  const { id } = await addBot(app, teamId, { document_ids: [document.id] });
  await publish(id);
  const { body } = await ask(id, { question: 'How high is the deposit for a bicycle?' });
  assert.equal(body.data.answered, true);
  const [passage] = body.data.trace.passages;
  assert.deepEqual([passage.document_id, passage.document], [document.id, 'rental.txt']);
  assert.match(passage.quote, /forty euros/);
});

test('calls an action and reports it without its headers', async () => {
  const service = await startTestService((_, response) => response.end('{"message":"On its way."}'));
  const { id } = await addBot(app, teamId, {
    actions: [
      {
        name: 'Order status',
        description: 'Looks up the status of an order',
        endpoint: `${service.url}/orders/{{order_number}}`,
        headers: { Authorization: 'Bearer canary' },
      },
    ],
  });
  const { body } = await ask(id, { question: 'What is the status of order A-17?', version: 'draft' });
  assert.equal(body.data.answer, 'On its way.');
  const [{ ms, ...called }] = body.data.trace.actions;
  assert.deepEqual(called, {
    name: 'Order status',
    arguments: { order_number: 'A-17' },
    status: 200,
    result: '{"message":"On its way."}',
  });
  assert.equal(service.requests[0]?.headers.authorization, 'Bearer canary');
  assert.doesNotMatch(JSON.stringify(body), /canary/);
});

test('tries an action of the draft and reports its result, without credits', async () => {
  const service = await startTestService((request, response) => {
    response.statusCode = request.url === '/orders/none' ? 404 : 200;
    response.end('{ "message": "On its way." }');
  });
  const { id } = await addBot(app, teamId, {
    actions: [{ name: 'Order status', endpoint: `${service.url}/orders/{{order_number}}` }],
  });
  const [action] = (await api('GET', `/bots/${id}`)).body.data.actions;
  const run = (given: object, options = {}) =>
    api('POST', `/bots/${id}/actions/${action.id}/try`, { body: { arguments: given }, ...options });
  const before = await app.creditsUsed({ teamId });
  const { ms, ...found } = (await run({ order_number: 'A-17' })).body.data;
  assert.ok(Number.isInteger(ms));
  assert.deepEqual(found, { status: 200, error: null, result: '{"message":"On its way."}' });
  const { status, error } = (await run({ order_number: 'none' })).body.data;
  assert.deepEqual([status, error], [404, 'the service answered with status 404']);
  const refused = await run({});
  assert.deepEqual([refused.status, refused.body.details.issues[0].path], [400, 'arguments']);
  assert.equal(await app.creditsUsed({ teamId }), before);
  const { token } = await app.issueKey({ teamId: await addTeam(context) });
  assert.equal((await run({ order_number: 'A-17' }, { token })).body.details.reason, 'bot_not_found');
  const unknown = await api('POST', `/bots/${id}/actions/${newId()}/try`, { body: {} });
  assert.deepEqual([unknown.status, unknown.body.details.reason], [404, 'action_not_found']);
});

test('draft and published versions answer differently', async () => {
  const { id } = await addBot(app, teamId, opening('At nine.'));
  assert.equal((await ask(id, { question })).body.details?.reason, 'bot_not_published');
  assert.equal((await ask(id, { question, version: 'draft' })).body.data.answer, 'At nine.');
  await publish(id);
  await api('PATCH', `/bots/${id}`, { body: opening('At ten.') });
  assert.equal((await ask(id, { question })).body.data.answer, 'At nine.');
  assert.equal((await ask(id, { question, version: 'published' })).body.data.answer, 'At nine.');
  assert.equal((await ask(id, { question, version: 'draft' })).body.data.answer, 'At ten.');
});

test('accepts the id of a bot in capitals', async () => {
  const { id } = await addBot(app, teamId, opening('At nine.'));
  await publish(id.toUpperCase());
  for (const version of ['published', 'draft']) {
    const { status, body } = await ask(id.toUpperCase(), { question, version });
    assert.deepEqual([status, body.data?.answer], [200, 'At nine.'], version);
  }
});

test('answers in the context of the history', async () => {
  const { id } = await addBot(app, teamId, {
    actions: [
      {
        name: 'Order status',
        description: 'Status of an order',
        endpoint: 'http://127.0.0.1:1/{{order_number}}',
      },
    ],
  });
  const first = await ask(id, { question: 'What is the status of my order?', version: 'draft' });
  const { body } = await ask(id, {
    question: 'A-17',
    version: 'draft',
    history: [
      { role: 'contact', text: 'What is the status of my order?' },
      { role: 'assistant', text: first.body.data.answer },
    ],
  });
  assert.deepEqual(body.data.trace.actions[0].arguments, { order_number: 'A-17' });
  assert.equal(body.data.answered, false);
});

test('rejects a question over the credit quota', async () => {
  const own = await addTeam(context);
  await sql`update teams set quota_credits = 3 where id = ${own}`.execute(db);
  const { id } = await addBot(app, own, opening('At nine.'));
  await publish(id);
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(id, { question })));
  const refused = answers.filter(({ status }) => status === 400);
  assert.equal(refused.length, 3);
  for (const { body } of refused) {
    assert.deepEqual(body.details, {
      reason: 'quota_exceeded',
      quota: 'credits',
      used: 3,
      limit: 3,
      needed: 1,
    });
    assert.match(body.error, /; wait for the next month or raise the quota$/);
  }
  assert.equal(await app.creditsUsed({ teamId: own }), 3);
});

test('charges nothing when the provider fails', async () => {
  const { id } = await addBot(app, teamId, opening('At nine.'));
  await publish(id);
  const before = await app.creditsUsed({ teamId });
  trouble.step = () => Promise.reject(new ProviderError('transient', 'away'));
  const { status, body } = await ask(id, { question });
  delete trouble.step;
  assert.deepEqual([status, body.details?.reason], [500, 'provider_unavailable']);
  assert.equal(await app.creditsUsed({ teamId }), before);
});

test('reports a bot deleted during the answer as not found, whether the provider succeeds or fails', async () => {
  for (const step of [undefined, () => Promise.reject(new ProviderError('not_found', 'no assistant'))]) {
    const own = await addTeam(context);
    const { id } = await addBot(app, own, opening('At nine.'));
    await publish(id);
    trouble.step = async (turn, signal) => {
      await db.deleteFrom('teams').where('id', '=', own).execute();
      return step === undefined ? context.provider.step(turn, signal) : step();
    };
    const { status, body } = await ask(id, { question });
    delete trouble.step;
    assert.deepEqual([status, body.details?.reason], [404, 'bot_not_found']);
  }
});

test('rejects a question to a bot of a banned team', async () => {
  const banned = await addTeam(context);
  const { id } = await addBot(app, banned, opening('At nine.'));
  await sql`update teams set banned = true where id = ${banned}`.execute(db);
  assert.equal((await ask(id, { question, version: 'draft' })).body.details?.reason, 'team_banned');
});

test('returns 404 for another team’s bot, draft or published', async () => {
  const { id } = await addBot(app, teamId, opening('At nine.'));
  await publish(id);
  const stranger = await app.issueKey({ teamId: await addTeam(context) });
  for (const version of ['draft', 'published']) {
    const foreign = await ask(id, { question, version }, { token: stranger.token });
    const missing = await ask(newId(), { question, version }, { token: stranger.token });
    assert.deepEqual([foreign.status, foreign.body.details?.reason], [404, 'bot_not_found']);
    assert.deepEqual(foreign.body, missing.body);
  }
});

test('reports every issue of the question', async () => {
  const { body } = await ask(newId(), {
    question: '',
    version: 'newest',
    history: [{ role: 'system', text: 'x', more: 1 }],
  });
  const paths = body.details.issues.map((issue: { path: string }) => issue.path).sort();
  assert.deepEqual(paths, ['history[0].more', 'history[0].role', 'question', 'version']);
});
