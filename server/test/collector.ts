import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The JSON of OTLP 1, as far as tests read it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { traceId: string; spanId: string }[];
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events?: { name: string; attributes: CollectedSpan['attributes'] }[];
  status: { code?: number };
}

interface CollectedMetric {
  name: string;
  sum?: { dataPoints: { asDouble: number }[] };
  histogram?: { dataPoints: { count: string; bucketCounts: string[]; explicitBounds: number[] }[] };
  gauge?: { dataPoints: { asDouble: number }[] };
}

/** A collector of OpenTelemetry that keeps what it gets. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const metrics: CollectedMetric[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    const body = (await json(request)) as {
      resourceSpans?: { scopeSpans: { spans: CollectedSpan[] }[] }[];
      resourceMetrics?: { scopeMetrics: { metrics: CollectedMetric[] }[] }[];
    };
    spans.push(
      ...(body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
    metrics.push(
      ...(body.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap((scope) => scope.metrics),
      ),
    );
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    headers,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
