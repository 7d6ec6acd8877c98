import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mock, test } from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { startCollector } from '../../../test/collector.ts';
import { eventually } from '../../../test/eventually.ts';
import { getUrl } from '../shared/listening.ts';
import { describeTexts, type EndedSpan } from './spans.ts';
import { startTelemetry } from './telemetry.ts';
import { createRequestIdInTrace, readTraceparent, rootSpanIdOf, traceIdOf } from './trace-ids.ts';

const requestId = '01a20647-ab53-7226-a9d2-192e4a6ef092';

const span: EndedSpan = {
  name: 'deliver message',
  requestId,
  kind: 'client',
  startedAt: Date.now() - 20,
  failed: true,
  attributes: { 'parley.attempts': 2, 'parley.team_id': undefined },
};

const start = (endpoint: string | null, { registry = new Registry(), withTexts = false } = {}) => {
  const warn = mock.fn();
  const telemetry = startTelemetry({
    endpoint,
    headers: { authorization: 'Bearer abc' },
    withTexts,
    roles: new Set(['pool']),
    registry,
    logger: { warn },
  });
  return { ...telemetry, warn };
};

test('sends spans with the trace of their request', async () => {
  const collector = await startCollector();
  const { recordSpan, close } = start(collector.url);
  recordSpan(span);
  recordSpan({ ...span, name: 'POST /send', root: { caller: null, isParent: true }, failed: false });
  await close();
  collector.close();
  const [child, root] = collector.spans;
  assert.equal(collector.headers[0]?.['authorization'], 'Bearer abc');
  assert.deepEqual(
    [child?.traceId, root?.traceId],
    ['01a20647ab537226a9d2192e4a6ef092', '01a20647ab537226a9d2192e4a6ef092'],
  );
  assert.deepEqual([child?.parentSpanId, root?.parentSpanId], [root?.spanId, undefined]);
  assert.deepEqual([child?.status.code, root?.status.code], [2, undefined]);
  assert.deepEqual(child?.attributes, [
    { key: 'parley.attempts', value: { intValue: '2' } },
    { key: 'parley.request_id', value: { stringValue: requestId } },
  ]);
  const ms = (Number(child?.endTimeUnixNano) - Number(child?.startTimeUnixNano)) / 1e6;
  assert.ok(ms >= 19 && ms < 10_000, `${ms} ms`);
});

test('sends texts of people only if the deployment says so', async () => {
  const collector = await startCollector();
  for (const withTexts of [false, true]) {
    const { recordSpan, close } = start(collector.url, { withTexts });
    const texts = () => describeTexts(['Are you open?'], 'Yes, until six.');
    recordSpan({ ...span, texts, events: [{ name: 'checked', attributes: {}, texts }] });
    await close();
  }
  collector.close();
  const [without, withThem] = collector.spans.map((sent) => JSON.stringify(sent));
  assert.doesNotMatch(without ?? '', /until six/);
  assert.equal(withThem?.match(/gen_ai\.input\.messages/g)?.length, 2);
  assert.equal(withThem?.match(/Yes, until six\./g)?.length, 2);
});

test('sends counters, gauges and histograms', async () => {
  const collector = await startCollector();
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'parley_sends_total', help: 'Sends.', registers }).inc(3);
  new Gauge({ name: 'parley_keys', help: 'Keys.', registers }).set(2);
  const histogram = new Histogram({ name: 'parley_seconds', help: 'Time.', buckets: [1, 5], registers });
  for (const value of [0.5, 2, 3, 9]) histogram.observe(value);
  await start(collector.url, { registry }).close();
  collector.close();
  const [counter, gauge, times] = collector.metrics;
  assert.equal(counter?.sum?.dataPoints[0]?.asDouble, 3);
  assert.equal(gauge?.gauge?.dataPoints[0]?.asDouble, 2);
  const [point] = times?.histogram?.dataPoints ?? [];
  assert.deepEqual(
    [point?.count, point?.explicitBounds, point?.bucketCounts],
    ['4', [1, 5], ['1', '2', '1']],
  );
});

test('records a span for each request, linked to the span of its caller', async () => {
  const collector = await startCollector();
  const { recordSpan, close } = start(collector.url);
  const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const root = { caller, isParent: false };
  const ids = [createRequestIdInTrace(caller.traceId), createRequestIdInTrace(caller.traceId)];
  for (const id of ids) recordSpan({ ...span, requestId: id, root: { ...root, isParent: true } });
  recordSpan({ ...span, requestId: ids[0] ?? '', root });
  recordSpan({ ...span, root });
  await close();
  collector.close();

  const [own, foreign] = [collector.spans.slice(0, 3), collector.spans[3]];
  assert.equal(new Set(collector.spans.map(({ spanId }) => spanId)).size, 4);
  for (const { traceId, parentSpanId, links } of own)
    assert.deepEqual([traceId, parentSpanId, links], [caller.traceId, caller.spanId, undefined]);
  assert.equal(foreign?.traceId, traceIdOf(requestId));
  assert.deepEqual([foreign?.parentSpanId, foreign?.links], [undefined, [caller]]);
});

test('sends spans before the next export is due when many wait', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const collector = await startCollector();
  t.after(() => collector.close());
  const { recordSpan, close, warn } = start(collector.url);
  for (let exports = 1; exports <= 3; exports += 1) {
    for (let n = 0; n < 2_048; n += 1) recordSpan(span);
    await eventually(async () => assert.equal(collector.spans.length, exports * 2_048));
  }
  await close();
  assert.equal(warn.mock.callCount(), 0);
});

test('warns once about each kind while the collector does not take it', async (t) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { recordSpan, close, warn } = start(getUrl('127.0.0.1', server));
  recordSpan(span);
  t.mock.timers.tick(60_000);
  await eventually(async () => assert.equal(warn.mock.callCount(), 1));
  recordSpan(span);
  t.mock.timers.tick(60_000);
  await close();
  assert.equal(warn.mock.callCount(), 1);
  assert.match(String(warn.mock.calls[0]?.arguments[1]), /^metrics could not be sent/);
});

test('stops within seconds while the collector does not respond', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { recordSpan, close } = start(getUrl('127.0.0.1', server));
  for (let n = 0; n < 2_048; n += 1) recordSpan(span);
  recordSpan(span);
  const startedAt = performance.now();
  await close();
  assert.ok(performance.now() - startedAt < 8_000);
});

test('does nothing without an endpoint', async () => {
  const { recordSpan, close, warn } = start(null);
  recordSpan(span);
  await close();
  assert.equal(warn.mock.callCount(), 0);
});

test('derives a trace from any request id, and reads that of a caller', () => {
  assert.match(traceIdOf('order-17'), /^[0-9a-f]{32}$/);
  assert.notEqual(traceIdOf('order-17'), traceIdOf('order-18'));
  assert.match(rootSpanIdOf('order-17'), /^[0-9a-f]{16}$/);
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  assert.deepEqual(readTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId });
  for (const header of [undefined, '', `00-${traceId}`, `00-${'0'.repeat(32)}-${spanId}-01`])
    assert.equal(readTraceparent(header), null);
});
