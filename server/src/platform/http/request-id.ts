import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequestIdInTrace, readTraceparent } from '../telemetry/trace-ids.ts';

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the caller's own id if it is valid. Otherwise returns a new id, in the caller's trace if there is one. */
export function readRequestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && validRequestId.test(given)) return given;
  const caller = readTraceparent(headers['traceparent']);
  return caller === null ? randomUUID() : createRequestIdInTrace(caller.traceId);
}
