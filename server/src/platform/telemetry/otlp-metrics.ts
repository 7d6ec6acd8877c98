import type { Registry } from 'prom-client';
import { toNanoseconds, toOtlpAttributes } from './spans.ts';

const cumulative = 2;

interface Sample {
  value: number;
  labels: Readonly<Record<string, string | number>>;
  metricName?: string;
}

/** Returns the metrics in the JSON of OTLP 1. `startedAt` is the time since which they count. */
export async function toOtlpMetrics(registry: Registry, startedAt: number): Promise<object[]> {
  const times = { startTimeUnixNano: toNanoseconds(startedAt), timeUnixNano: toNanoseconds(Date.now()) };
  return (await registry.getMetricsAsJSON()).map(({ name, help, type, values }) => {
    const samples = values as Sample[];
    const described = { name, description: help };
    // The library's declaration numbers the types, but it returns their names.
    switch (String(type)) {
      case 'counter':
        return {
          ...described,
          sum: {
            aggregationTemporality: cumulative,
            isMonotonic: true,
            dataPoints: samples.map(toPoint(times)),
          },
        };
      case 'histogram':
        return {
          ...described,
          histogram: { aggregationTemporality: cumulative, dataPoints: toHistogramPoints(samples, times) },
        };
      default:
        return { ...described, gauge: { dataPoints: samples.map(toPoint(times)) } };
    }
  });
}

const toPoint =
  (times: object) =>
  ({ value, labels }: Sample): object => ({
    ...times,
    attributes: toOtlpAttributes(labels),
    asDouble: value,
  });

/** Prometheus counts each bucket together with the smaller ones. OTLP counts it alone. */
function toHistogramPoints(samples: readonly Sample[], times: object): object[] {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  return [...series].map(([key, own]) => {
    const buckets = own.filter(({ labels }) => labels['le'] !== undefined);
    const readValue = (suffix: string): number =>
      own.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    return {
      ...times,
      attributes: toOtlpAttributes(JSON.parse(key)),
      count: String(readValue('_count')),
      sum: readValue('_sum'),
      explicitBounds: buckets.map(({ labels }) => Number(labels['le'])).filter(Number.isFinite),
      bucketCounts: buckets.map(({ value }, index) => String(value - (buckets[index - 1]?.value ?? 0))),
    };
  });
}
