import { randomBytes } from 'node:crypto';
import { rootSpanIdOf, type SpanContext, traceIdOf } from './trace-ids.ts';

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Work that ended now. Outside `texts`, it must contain no texts, names, numbers or addresses of people. */
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
  kind: 'internal' | 'server' | 'client' | 'consumer';
  /** Milliseconds since 1970. */
  startedAt: number;
  failed: boolean;
  attributes: Attributes;
  /** What people and bots wrote. Sent only if the deployment says so. */
  texts?: () => Attributes;
  events?: readonly SpanEvent[];
}

interface SpanEvent {
  name: string;
  attributes: Attributes;
  /** As those of the span. */
  texts?: () => Attributes;
}

export type RecordSpan = (span: EndedSpan) => void;

const kinds = { internal: 1, server: 2, client: 3, consumer: 5 };
const failedStatus = 2;

/** Returns the span in the JSON of OTLP 1. */
export function toOtlpSpan(
  { name, requestId, root, kind, startedAt, failed, attributes, texts, events = [] }: EndedSpan,
  withTexts: boolean,
): object {
  const toAttributes = (plain: Attributes, written?: () => Attributes) =>
    toOtlpAttributes({ ...plain, ...(withTexts && written?.()) });
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
    attributes: toAttributes({ ...attributes, 'parley.request_id': requestId }, texts),
    ...(events.length > 0 && {
      events: events.map((event) => ({
        name: event.name,
        timeUnixNano: toNanoseconds(Date.now()),
        attributes: toAttributes(event.attributes, event.texts),
      })),
    }),
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

/** Describes questions and an answer with the attributes of the semantic conventions for generative AI. */
export function describeTexts(asked: readonly string[], said: string): Attributes {
  const toParts = (content: string) => [{ type: 'text', content }];
  return {
    'gen_ai.input.messages': JSON.stringify(asked.map((text) => ({ role: 'user', parts: toParts(text) }))),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: toParts(said), finish_reason: 'stop' },
    ]),
  };
}
