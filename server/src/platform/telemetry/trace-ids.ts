import { createHash, randomBytes } from 'node:crypto';

/** Every process derives the same trace from the id of a request, so that a message needs no trace of its own. */
export const traceIdOf = (requestId: string): string => {
  const [, callersTrace] = requestIdInTrace.exec(requestId) ?? [];
  if (callersTrace !== undefined) return callersTrace;
  const digits = requestId.replaceAll('-', '').toLowerCase();
  return isTraceId(digits) ? digits : digest(requestId).subarray(0, 16).toString('hex');
};

const requestIdInTrace = /^([0-9a-f]{32})-[0-9a-f]{16}$/;

/** Returns a new id from which `traceIdOf` reads the trace. The requests of one trace have different ids. */
export const createRequestIdInTrace = (traceId: string): string =>
  `${traceId}-${randomBytes(8).toString('hex')}`;

/** The id of the span that all other spans of a request have as their parent. */
export const rootSpanIdOf = (requestId: string): string => digest(`${requestId} root`).toString('hex', 0, 8);

/** A span of the caller. */
export interface SpanContext {
  traceId: string;
  spanId: string;
}

/** Returns null unless the header conforms to W3C Trace Context. */
export function readTraceparent(header: unknown): SpanContext | null {
  const [, traceId = '', spanId = ''] =
    typeof header === 'string' ? (/^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header) ?? []) : [];
  return isTraceId(traceId) && !/^0*$/.test(spanId) ? { traceId, spanId } : null;
}

const isTraceId = (digits: string): boolean => /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
