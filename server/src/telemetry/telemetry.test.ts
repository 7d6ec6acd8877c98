import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { startCollector } from '../../test/collector.ts';
import type { EndedSpan } from './spans.ts';
import { startTelemetry } from './telemetry.ts';
import { readTraceparent, rootSpanIdOf, traceIdOf } from './trace-ids.ts';

const requestId = '01a20647-ab53-7226-a9d2-192e4a6ef092';

const span: EndedSpan = {
  name: 'deliver message',
  requestId,
  kind: 'client',
  startedAt: Date.now() - 20,
  failed: true,
  attributes: { 'parley.attempts': 2, 'parley.team_id': undefined },
};

const start = (endpoint: string | null, registry = new Registry()) => {
  const warn = mock.fn();
  const telemetry = startTelemetry({
    endpoint,
    headers: { authorization: 'Bearer abc' },
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
  recordSpan({ ...span, name: 'POST /send', root: { parentSpanId: null }, failed: false });
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

test('sends counters, gauges and histograms', async () => {
  const collector = await startCollector();
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'parley_sends_total', help: 'Sends.', registers }).inc(3);
  new Gauge({ name: 'parley_keys', help: 'Keys.', registers }).set(2);
  const histogram = new Histogram({ name: 'parley_seconds', help: 'Time.', buckets: [1, 5], registers });
  for (const value of [0.5, 2, 3, 9]) histogram.observe(value);
  await start(collector.url, registry).close();
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

test('warns once while the collector is away', async () => {
  const { recordSpan, close, warn } = start('http://127.0.0.1:1');
  recordSpan(span);
  await close();
  assert.equal(warn.mock.callCount(), 1);
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
