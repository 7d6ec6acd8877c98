import { randomBytes } from 'node:crypto';
import { rootSpanIdOf, type SpanContext, traceIdOf } from './trace-ids.ts';

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Work that ended now. It must contain no texts, names, numbers or addresses of people. */
export interface EndedSpan {
  name: string;
  requestId: string;
  /** For a span that is not part of another one of Parley's. */
  root?: {
    /** From the header `traceparent`. */
    caller: SpanContext | null;
    /** Other spans with this request id are part of it. At most one span of a request id may be their parent. */
    isParent: boolean;
  };
  kind: 'server' | 'client' | 'consumer';
  /** Milliseconds since 1970. */
  startedAt: number;
  failed: boolean;
  attributes: Attributes;
}

export type RecordSpan = (span: EndedSpan) => void;

const kinds = { server: 2, client: 3, consumer: 5 };
const failedStatus = 2;

/** Returns the span in the JSON of OTLP 1. */
export function toOtlpSpan({
  name,
  requestId,
  root,
  kind,
  startedAt,
  failed,
  attributes,
}: EndedSpan): object {
  const traceId = traceIdOf(requestId);
  const caller = root?.caller ?? null;
  const callersSpan = caller?.traceId === traceId ? caller.spanId : null;
  const parentSpanId = root === undefined ? rootSpanIdOf(requestId) : callersSpan;
  return {
    traceId,
    spanId: root?.isParent === true ? rootSpanIdOf(requestId) : randomBytes(8).toString('hex'),
    ...(parentSpanId === null ? {} : { parentSpanId }),
    ...(caller === null || callersSpan !== null ? {} : { links: [caller] }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(Date.now()),
    attributes: toOtlpAttributes({ ...attributes, 'parley.request_id': requestId }),
    status: failed ? { code: failedStatus } : {},
  };
}

export const toNanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`;

export const toOtlpAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );

function toOtlpValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
