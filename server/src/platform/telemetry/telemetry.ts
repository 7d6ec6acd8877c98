import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import type { Logger } from '../shared/logger.ts';
import { version } from '../shared/version.ts';
import { toOtlpMetrics } from './otlp-metrics.ts';
import { type RecordSpan, toOtlpAttributes, toOtlpSpan } from './spans.ts';

export interface Telemetry {
  recordSpan: RecordSpan;
  /** Sends the spans that wait. */
  close(): Promise<void>;
}

const spansEveryMs = 5_000;
const metricsEveryMs = 60_000;
const timeoutMs = 10_000;
/** For the last export. */
const closeTimeoutMs = 2_000;
/** Spans beyond this are dropped until the next export, which begins when half of them wait. */
const maxWaiting = 4_096;

const none: Telemetry = { recordSpan: () => undefined, close: async () => undefined };

/** Sends spans and metrics to an OpenTelemetry collector (OTLP over HTTP, JSON). Does nothing without an endpoint. */
export function startTelemetry({
  endpoint,
  headers,
  withTexts,
  roles,
  registry,
  logger,
}: {
  endpoint: string | null;
  headers: Readonly<Record<string, string>>;
  /** Whether spans contain what people and bots wrote. */
  withTexts: boolean;
  roles: ReadonlySet<string>;
  registry: Registry;
  logger: Pick<Logger, 'warn'>;
}): Telemetry {
  if (endpoint === null) return none;
  const startedAt = Date.now();
  const resource = {
    attributes: toOtlpAttributes({
      'service.name': 'parley',
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'parley.roles': [...roles].join(','),
    }),
  };
  const scope = { name: 'parley', version };
  let waiting: object[] = [];
  let dropped = 0;
  let exporting: Promise<void> | null = null;
  /** The paths that the collector did not accept last time. */
  const failing = new Set<string>();
  const closing = new AbortController();

  const send = async (path: 'traces' | 'metrics', body: object): Promise<void> => {
    try {
      const response = await fetch(`${endpoint}/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the collector responded with ${response.status}`);
      failing.delete(path);
    } catch (error) {
      if (!failing.has(path)) logger.warn({ err: error }, `${path} could not be sent; some are lost`);
      failing.add(path);
    }
  };
  const sendSpans = async (): Promise<void> => {
    const spans = waiting;
    waiting = [];
    if (dropped > 0) logger.warn({ dropped }, 'there were too many spans between two exports; some are lost');
    dropped = 0;
    if (spans.length > 0)
      await send('traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
  };
  /** Sends one export at a time. */
  const exportSpans = (): Promise<void> => {
    exporting ??= sendSpans().finally(() => {
      exporting = null;
      exportIfMany();
    });
    return exporting;
  };
  const exportIfMany = () => {
    if (waiting.length >= maxWaiting / 2) void exportSpans();
  };
  const sendMetrics = async (): Promise<void> => {
    const metrics = await toOtlpMetrics(registry, startedAt);
    await send('metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] });
  };
  const timers = [
    setInterval(() => void exportSpans(), spansEveryMs),
    setInterval(
      () => void sendMetrics().catch((error) => logger.warn({ err: error }, 'metrics could not be read')),
      metricsEveryMs,
    ),
  ];
  for (const timer of timers) timer.unref();
  return {
    recordSpan(span) {
      if (waiting.length < maxWaiting) waiting.push(toOtlpSpan(span, withTexts));
      else dropped += 1;
      exportIfMany();
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      const deadline = setTimeout(() => closing.abort(), closeTimeoutMs);
      const metricsSent = sendMetrics().catch(() => undefined);
      do await exportSpans();
      while (waiting.length > 0);
      await metricsSent;
      clearTimeout(deadline);
    },
  };
}
