import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addDocument, addTeam } from '../../test/bots.ts';
import { type ChatDevice, startChatApp, startTestService } from '../../test/chats.ts';
import { createRunJob } from '../../test/run-cases.ts';
import type { AssistantProvider } from '../knowledge/assistant-provider/assistant-provider.ts';
import { newId } from '../platform/shared/ids.ts';

const steps = { count: 0, fail: false };
const app = await startChatApp({
  provider: (real): AssistantProvider => ({
    ...real,
    step: (turn, signal) => {
      steps.count += 1;
      return real.step(turn, signal);
    },
  }),
});
const { db } = app.context;
app.startAnswering();

const tandem = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };
const opening = { question: 'When do you open?', answer: 'We open at nine.' };
const says = (text: string) => [{ role: 'contact', text }];

const addCase = async (botId: string, body: object) => {
  const { status, body: response } = await app.api('POST', `/bots/${botId}/cases`, { body });
  assert.equal(status, 200, JSON.stringify(response));
  return response.data;
};

/** Runs what waits, as a worker would. */
async function work(signal = new AbortController().signal): Promise<void> {
  const { rows } = await sql<{
    id: string;
  }>`select id from bot_runs where state in ('waiting', 'running')`.execute(db);
  const job = createRunJob(app);
  for (const { id } of rows) await job.run({ runId: id }, signal);
}

async function run(botId: string, body: object = {}) {
  const created = await app.api('POST', `/bots/${botId}/runs`, { body });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  await work();
  const { id } = created.body.data;
  const ended = (await app.api('GET', `/runs/${id}`)).body.data;
  const results = (await app.api('GET', `/runs/${id}/results?limit=100`)).body.data;
  return { ended, results };
}

const publish = (botId: string, body?: object, token?: string) =>
  app.api('POST', `/bots/${botId}/publish`, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });

const change = (botId: string, body: object) => app.api('PATCH', `/bots/${botId}`, { body });

test('a run shows which cases pass, and how the draft differs from the published version', async () => {
  const { botId } = await app.addDevice({ questions: [tandem, opening] });
  const price = await addCase(botId, {
    messages: says('what does a tandem cost'),
    checks: [
      { kind: 'contains', text: '40 euros' },
      { kind: 'cites_pair', question: tandem.question },
    ],
  });
  await addCase(botId, {
    name: 'Moon',
    messages: says('Who won the football match?'),
    checks: [{ kind: 'lacks', text: 'euros' }],
  });
  const before = await run(botId, { baseline: 'published' });
  assert.deepEqual(
    [
      before.ended.state,
      before.ended.total,
      before.ended.passed,
      before.ended.changed,
      before.ended.progress,
    ],
    ['finished', 2, 2, 0, 1],
  );
  await change(botId, { questions: [{ ...tandem, answer: 'A tandem costs 50 euros a day.' }, opening] });
  const { ended, results } = await run(botId, { baseline: 'published' });
  assert.deepEqual([ended.passed, ended.failed, ended.changed, ended.worse], [1, 1, 1, 1]);
  const [first] = results;
  assert.deepEqual(
    [first.case_id, first.outcome, first.worse, first.old.text, first.new.text, first.reasons],
    [
      ...[price.id, 'failed', true, tandem.answer, 'A tandem costs 50 euros a day.'],
      ['the answer does not contain “40 euros”', 'the text of the answer is another'],
    ],
  );
  assert.equal(ended.results_url, `/api/openapi/v1/runs/${ended.id}/results`);
  const { body } = await app.api('GET', `/runs/${ended.id}/results?outcome=failed`);
  assert.deepEqual([body.meta.total, body.data[0].position], [1, first.position]);
  const events = await sql<{
    data: object;
  }>`select data from events where type = 'run.finished' and data ->> 'run_id' = ${ended.id}`.execute(db);
  assert.equal(events.rows.length, 1);
});

test('a replay sends nothing, charges nothing and calls no action', async () => {
  const service = await startTestService((_, response) => response.end('{"message":"On its way."}'));
  const device = await app.addDevice({
    actions: [
      {
        name: 'Order status',
        description: 'Looks up the status of an order',
        endpoint: `${service.url}/orders/{{order_number}}`,
      },
    ],
  });
  const contact = '+15550121';
  await app.write(device, contact, 'What is the status of order A-17?');
  assert.deepEqual(await app.untilReplied(device, contact), ['On its way.']);
  const made = service.requests.length;
  const credits = await app.creditsUsed(device);
  const messages = (await app.readChat(device, contact)).length;
  const called = { kind: 'calls_action', name: 'Order status', arguments: { order_number: 'A-17' } };
  await addCase(device.botId, {
    messages: says('What is the status of order A-17?'),
    checks: [called, { kind: 'contains', text: 'on its way' }],
  });
  await addCase(device.botId, { messages: says('What is the status of order B-18?'), checks: [] });
  const { ended, results } = await run(device.botId, { sources: ['cases', 'recent'] });
  assert.deepEqual([ended.passed, ended.failed, ended.warned], [2, 1, 0], JSON.stringify(results));
  assert.match(results[1].reasons.join(), /B-18.*not recorded/);
  const recent = results[2];
  assert.equal(recent.conversation_id, (await app.readConversation(device, contact)).id);
  assert.deepEqual(
    [recent.name, recent.changed, recent.new.text],
    ['What is the status of order A-17?', false, 'On its way.'],
  );
  assert.equal(service.requests.length, made);
  assert.equal(await app.creditsUsed(device), credits);
  assert.equal((await app.readChat(device, contact)).length, messages);
});

test('an unchanged bot passes again and again, and a run goes on where it was interrupted', async () => {
  const { botId } = await app.addDevice({ questions: [tandem, opening] });
  for (let n = 0; n < 12; n += 1)
    await addCase(botId, {
      messages: says(n % 2 === 0 ? 'tandem price per day?' : 'when are you open'),
      checks: [{ kind: 'lacks', text: 'sorry' }],
    });
  const created = (await app.api('POST', `/bots/${botId}/runs`, { body: {} })).body.data;
  const stop = new AbortController();
  const real = app.context.provider.step;
  let answered = 0;
  const job = createRunJob(app, {
    provider: {
      generatesText: false,
      judge: app.context.provider.judge,
      step: async (turn, signal) => {
        answered += 1;
        if (answered === 6) stop.abort(new Error('the worker stops'));
        return real(turn, signal);
      },
    },
  });
  await assert.rejects(job.run({ runId: created.id }, stop.signal));
  const halfway = (await app.api('GET', `/runs/${created.id}`)).body.data;
  assert.equal(halfway.state, 'running');
  steps.count = 0;
  await work();
  const ended = (await app.api('GET', `/runs/${created.id}`)).body.data;
  assert.deepEqual([ended.state, ended.total, ended.passed], ['finished', 12, 12]);
  assert.ok(steps.count < 12, `${steps.count} questions were answered again`);
  await work();
  assert.deepEqual((await app.api('GET', `/runs/${created.id}`)).body.data, ended);
});

test('without a language model, nothing is judged, and the case says so', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  const checks = [{ kind: 'judge', criterion: 'The answer is polite.' }];
  await addCase(botId, { messages: says(tandem.question), checks });
  const { ended, results } = await run(botId);
  assert.deepEqual([ended.passed, ended.warned, ended.failed], [0, 1, 0]);
  assert.deepEqual(results[0].reasons, [
    'nothing has judged, because no language model did: The answer is polite.',
  ]);
});

test('50 cases take a bounded number of statements', async () => {
  const { botId } = await app.addDevice({ questions: [tandem, opening] });
  const csv = Array.from({ length: 50 }, (_, n) => `tandem price for person ${n}?`).join('\n');
  const { body } = await app.api('POST', `/bots/${botId}/cases/import`, {
    body: { csv: `question\n${csv}` },
  });
  assert.equal(body.data.imported, 50);
  let statements = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { id } = (await app.api('POST', `/bots/${botId}/runs`, { body: {} })).body.data;
  const job = createRunJob(app, { db: counted });
  await job.run({ runId: id }, new AbortController().signal);
  assert.equal((await app.api('GET', `/runs/${id}`)).body.data.total, 50);
  assert.ok(statements > 50 && statements <= 50 + 12, `${statements} statements`);
});

test('a case is made from a message, without numbers and addresses of people', async () => {
  const device = await app.addDevice({ questions: [tandem] });
  const contact = '+15550122';
  await app.write(device, contact, 'Hi, I am at ines@example.org');
  await app.untilReplied(device, contact);
  await app.write(device, contact, 'How much is a tandem?');
  await app.untilReplied(device, contact, 2);
  const { rows } = await sql<{ id: string; direction: string }>`
    select id, direction from messages where device_id = ${device.deviceId} order by seq desc limit 2`.execute(
    db,
  );
  for (const { id } of rows) {
    const made = await addCase(device.botId, { message_id: id });
    assert.deepEqual([made.origin, made.name], ['message', 'How much is a tandem?']);
    assert.deepEqual(made.checks, [{ kind: 'cites_pair', question: tandem.question }]);
    assert.deepEqual(
      made.messages.map(({ role }: { role: string }) => role),
      ['contact', 'assistant', 'contact'],
    );
    assert.equal(made.messages[0].text, 'Hi, I am at name@example.com');
  }
  const foreign = await app.addDevice({ questions: [tandem] });
  const { status, body } = await app.api('POST', `/bots/${foreign.botId}/cases`, {
    body: { message_id: rows[0]?.id },
  });
  assert.deepEqual([status, body.details.reason], [404, 'message_not_found']);
});

test('the results of a contact go with the contact', async () => {
  const device = await app.addDevice({ questions: [tandem] });
  const contact = '+15550123';
  await app.write(device, contact, 'How much is a tandem? Call +49 151 23456789');
  await app.untilReplied(device, contact);
  const { results, ended } = await run(device.botId, { sources: ['recent'] });
  assert.equal(results.length, 1);
  assert.equal(results[0].name, 'How much is a tandem? Call +00 000 00000000');
  await sql`delete from conversations where device_id = ${device.deviceId}`.execute(db);
  assert.equal((await app.api('GET', `/runs/${ended.id}/results`)).body.meta.total, 0);
});

test('the gate notices each kind of damage, and lets an unchanged bot pass', async () => {
  const document = await addDocument(app.context, await addTeam(app.context));
  const { rows } = await sql<{
    team_id: string;
  }>`select team_id from documents where id = ${document.id}`.execute(db);
  const teamId = rows[0]?.team_id ?? '';
  const action = {
    name: 'Order status',
    description: 'Looks up the status of an order',
    endpoint: 'http://127.0.0.1:1/{{order_number}}',
  };
  const good = { questions: [tandem, opening], actions: [action], document_ids: [document.id] };
  const { body } = await app.api('POST', '/bots', { body: { team_id: teamId, name: 'Desk', ...good } });
  const botId: string = body.data.id;
  assert.equal((await publish(botId)).status, 200);
  await addCase(botId, {
    messages: says('what does a tandem cost'),
    checks: [{ kind: 'contains', text: '40 euros' }],
  });
  await addCase(botId, {
    messages: says('How high is the deposit for a bicycle?'),
    checks: [{ kind: 'cites_document', document_id: document.id }],
  });
  await addCase(botId, {
    messages: says('What is the status of order A-17?'),
    checks: [{ kind: 'calls_action', name: 'Order status' }],
  });
  const gate = { min_pass: 1, max_worse: 0, sources: ['cases'] };
  assert.equal((await app.api('PUT', `/bots/${botId}/gate`, { body: gate })).status, 200);
  const damages = {
    pair: { questions: [{ ...tandem, answer: 'A tandem costs 45 euros.' }, opening] },
    document: { document_ids: [] },
    action: { actions: [{ ...action, name: 'Weather', description: 'Tells the weather of tomorrow' }] },
  };
  for (const [name, damage] of Object.entries(damages)) {
    await change(botId, damage);
    const running = await publish(botId);
    assert.deepEqual([running.status, running.body.details.reason], [400, 'gate_running'], name);
    assert.equal((await publish(botId)).body.details.run_id, running.body.details.run_id);
    await work();
    const refused = await publish(botId);
    assert.deepEqual(
      [refused.status, refused.body.details.reason, refused.body.details.run_id],
      [400, 'gate_failed', running.body.details.run_id],
      name,
    );
    await change(botId, good);
    await publish(botId);
    await work();
    assert.equal((await publish(botId)).status, 200, `${name} mended`);
  }
});

test('only an owner publishes although the gate is closed, with a reason', async () => {
  const device: ChatDevice = await app.addDevice({ questions: [tandem] });
  const { botId, teamId } = device;
  await addCase(botId, {
    messages: says('Who are you?'),
    checks: [{ kind: 'contains', text: 'nothing that it says' }],
  });
  await app.api('PUT', `/bots/${botId}/gate`, { body: { min_pass: 1, max_worse: 0, sources: ['cases'] } });
  await change(botId, { questions: [opening] });
  await publish(botId);
  await work();
  const editor = await app.issueKey({ teamId, role: 'editor' });
  const reason = { override_reason: 'The shop opens tomorrow' };
  const refused = await publish(botId, reason, editor.token);
  assert.deepEqual([refused.status, refused.body.details.reason], [400, 'override_forbidden']);
  assert.equal((await publish(botId, reason)).status, 200);
  await app.api('DELETE', `/bots/${botId}/gate`);
  await change(botId, { questions: [tandem] });
  assert.equal((await publish(botId)).status, 200);
});

test('refuses cases, runs and gates that make no sense', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  const issues = async (body: object) =>
    (await app.api('POST', `/bots/${botId}/cases`, { body })).body.details.issues.map(
      ({ path }: { path: string }) => path,
    );
  assert.deepEqual(await issues({}), ['messages']);
  assert.deepEqual(await issues({ messages: [{ role: 'assistant', text: 'Hi' }] }), ['messages']);
  assert.deepEqual(
    await issues({ messages: says('Hi'), checks: [{ kind: 'contains' }, { kind: 'silent', text: 'x' }] }),
    ['checks[0].text', 'checks[1].text'],
  );
  const made = await addCase(botId, { messages: says('Hi') });
  const changed = await app.api('PATCH', `/bots/${botId}/cases/${made.id}`, {
    body: { enabled: false, expected_updated_at: made.updated_at },
  });
  assert.equal(changed.body.data.enabled, false);
  const stale = await app.api('PATCH', `/bots/${botId}/cases/${made.id}`, {
    body: { name: 'x', expected_updated_at: made.updated_at },
  });
  assert.equal(stale.body.details.reason, 'changed_meanwhile');
  const other = await app.addDevice({ questions: [tandem] });
  assert.equal(
    (await app.api('DELETE', `/bots/${other.botId}/cases/${made.id}`)).body.details.reason,
    'case_not_found',
  );
  for (const method of ['GET', 'DELETE'])
    assert.equal((await app.api(method, `/bots/${botId}/cases/none`)).body.details.reason, 'case_not_found');
  assert.equal((await app.api('DELETE', `/bots/${botId}/cases/${made.id}`)).status, 200);
  assert.equal((await app.api('GET', `/bots/${botId}/cases`)).body.meta.total, 0);
  const { token } = await app.issueKey({ teamId: await addTeam(app.context) });
  for (const path of ['cases', 'runs', 'gate'])
    assert.equal((await app.api('GET', `/bots/${botId}/${path}`, { token })).status, 404, path);
  const { ended } = await run(botId);
  assert.equal((await app.api('GET', `/runs/${ended.id}`, { token })).body.details.reason, 'run_not_found');
  assert.equal((await app.api('GET', `/runs/${newId()}/results`)).status, 404);
  const draft = (
    await app.api('POST', '/bots', { body: { team_id: await addTeam(app.context), name: 'New' } })
  ).body.data;
  const unpublished = await app.api('POST', `/bots/${draft.id}/runs`, { body: { baseline: 'published' } });
  assert.equal(unpublished.body.details.reason, 'bot_not_published');
  for (let n = 0; n < 3; n += 1) await app.api('POST', `/bots/${botId}/runs`, { body: {} });
  assert.equal(
    (await app.api('POST', `/bots/${botId}/runs`, { body: {} })).body.details.reason,
    'too_many_runs',
  );
});
