import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CollectedSpan, startCollector } from '../collector.ts';
import { eventually } from '../eventually.ts';
import { startFakeModels } from '../fake-models/fake-models.ts';
import { createDeployment } from './deployment.ts';
import {
  answer,
  contact,
  createLinkedBot,
  question,
  signIn,
  timeoutMs,
  waitUntilReceived,
  write,
} from './linked-bot.ts';
import type { Partner } from './partner.ts';

test('traces the calls of a language model as parts of a publish and an answer', async () => {
  const [collector, fakes] = await Promise.all([startCollector(), startFakeModels()]);
  after(() => Promise.all([collector.close(), fakes.stop()]));
  const deployment = await createDeployment();
  const program = await deployment.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: 'brain',
  });
  const partner = await signIn(program);
  const actions = [{ name: 'Opening hours', description: '', endpoint: 'http://127.0.0.1:1/' }];
  const { botId } = await createLinkedBot(partner, { actions });
  const reply = { text: 'Yes, until six.', sources: [] };
  await fakes.script('brain', [
    { toolCalls: [{ callId: 'a', tool: 'Opening_hours', arguments: '{}' }] },
    { toolCalls: [{ callId: 'c', tool: 'reply', arguments: JSON.stringify(reply) }] },
  ]);
  await write(partner, 'Do you repair old bicycles?');
  await waitUntilReceived(partner, 'Yes, until six.');
  await program.stop();
  const calls = collector.spans.filter(({ name }) => name === 'chat brain');
  const parents = calls.map(
    ({ parentSpanId }) => collector.spans.find(({ spanId }) => spanId === parentSpanId)?.name,
  );
  assert.deepEqual(parents, [
    'POST /api/openapi/v1/bots/:id/publish',
    'answer conversation',
    'answer conversation',
  ]);
  const answered = collector.spans.find(({ name }) => name === 'answer conversation');
  const tool = collector.spans.find(({ name }) => name === 'execute_tool Opening hours');
  assert.equal(tool?.parentSpanId, answered?.spanId);
  const retrieval = collector.spans.find(({ name }) => name === 'retrieval');
  assert.equal(retrieval?.parentSpanId, answered?.spanId);
  const own = (span: CollectedSpan | undefined) =>
    Object.fromEntries(
      (span?.attributes ?? [])
        .filter(({ key }) => /^(gen_ai|error)\./.test(key))
        .map(({ key, value }) => [key, Object.values(value)[0]]),
    );
  const {
    'gen_ai.agent.id': agent,
    'gen_ai.conversation.id': conversation,
    ...agentAttributes
  } = own(answered);
  assert.ok(agent === botId && conversation);
  assert.deepEqual(agentAttributes, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'Lumen',
  });
  assert.deepEqual(own(tool), {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'Opening hours',
    'gen_ai.tool.type': 'extension',
    'error.type': 'not_called',
  });
  const { 'gen_ai.usage.input_tokens': input, ...chat } = own(calls.at(-1));
  assert.ok(Number(input) > 0);
  assert.deepEqual(chat, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': 'brain',
    'gen_ai.usage.output_tokens': chat['gen_ai.usage.output_tokens'],
  });
  assert.ok(!JSON.stringify(collector.spans).includes('Yes, until six.'));
});

test('traces a send and an answer through their processes, and exports metrics', async () => {
  const collector = await startCollector();
  after(() => collector.close());
  const deployment = await createDeployment();
  const program = await deployment.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const partner = await signIn(program);
  const { deviceId, botId } = await createLinkedBot(partner);
  const runId = await runCase(partner, botId);
  await write(partner, question);
  await waitUntilReceived(partner, answer);
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const token = await partner.call<{ access_token: string }>('POST', '/api/openapi/auth/token', {
    key_id: 'pk_start_and_stop',
    key_secret: 'sk_start_and_stop',
  });
  const sent = await fetch(`${program.url}/api/openapi/v1/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token.access_token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${spanId}-01`,
    },
    body: JSON.stringify({ device_id: deviceId, destination_number: contact, message: 'Ready.' }),
  });
  assert.equal(sent.status, 200);
  assert.match(sent.headers.get('x-request-id') ?? '', new RegExp(`^${traceId}-[0-9a-f]{16}$`));
  await program.stop();

  const own = collector.spans.filter((span) => span.traceId === traceId);
  const request = own.find(({ name }) => name === 'POST /api/openapi/v1/send');
  const delivery = own.find(({ name }) => name === 'deliver message');
  assert.equal(request?.parentSpanId, spanId);
  assert.equal(delivery?.parentSpanId, request?.spanId);
  const answered = collector.spans.find(({ name }) => name === 'answer conversation');
  const reply = collector.spans.find(
    ({ name, parentSpanId }) => name === 'deliver message' && parentSpanId === answered?.spanId,
  );
  assert.equal(reply?.traceId, answered?.traceId);
  const evaluated = collector.spans.find(({ name }) => name === 'invoke_agent Lumen');
  const valuesOf = (attributes: CollectedSpan['attributes']) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  assert.equal(valuesOf(evaluated?.attributes ?? [])['parley.run_id'], runId);
  assert.deepEqual(
    evaluated?.events?.map(({ name, attributes }) => [name, valuesOf(attributes)]),
    [
      ['contains', 1, 'pass'],
      ['lacks', 0, 'fail'],
    ].map(([check, value, label]) => [
      'gen_ai.evaluation.result',
      {
        'gen_ai.evaluation.name': check,
        'gen_ai.evaluation.score.value': String(value),
        'gen_ai.evaluation.score.label': label,
      },
    ]),
  );
  const exported = JSON.stringify([collector.spans, collector.metrics]);
  for (const text of [contact, question, answer]) assert.ok(!exported.includes(text), text);
  assert.ok(collector.metrics.some(({ name }) => name === 'parley_http_requests_total'));
});

/** Runs a case with a check that passes and one that fails. Returns the id of the run. */
async function runCase(partner: Partner, botId: string): Promise<string> {
  await partner.call('POST', `/bots/${botId}/cases`, {
    name: 'Helmets',
    messages: [{ role: 'contact', text: 'Is there a helmet with the bikes?' }],
    checks: [
      { kind: 'contains', text: 'helmet' },
      { kind: 'lacks', text: 'helmet' },
    ],
  });
  const { id } = await partner.call<{ id: string }>('POST', `/bots/${botId}/runs`, { sources: ['cases'] });
  await eventually(async () => {
    const { state } = await partner.call<{ state: string }>('GET', `/runs/${id}`);
    assert.equal(state, 'finished');
  }, timeoutMs);
  return id;
}
