import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { WireRequest, WireResponse } from '../../server/test/openapi/wire.ts';
import { createResponseCheck, type OpenapiDocument } from '../../server/test/response-check.ts';

interface Exchange {
  operation: ApiOperation;
  request: WireRequest;
  requestId: string;
  response: WireResponse;
  expect: readonly number[];
  missesRoute?: boolean;
}

/** Callers without a token have a limit of their own, which the service of the run does not raise. */
const limitsAddresses = ({ open, statuses }: ApiOperation): boolean => open && statuses.includes(429);

/** Returns a function that lists everything wrong with a response. */
export function createOracle(document: OpenapiDocument): (exchange: Exchange) => string[] {
  const check = createResponseCheck(document);
  let firstRefusal: string | null = null;

  return ({ operation, request, requestId, response, expect, missesRoute = false }) => {
    const { status, text, json, headers } = response;
    const problems: string[] = [];
    if (status >= 500) problems.push(`returned ${status}`);
    else if (!expect.includes(status) && !(status === 429 && limitsAddresses(operation)))
      problems.push(`returned ${status} instead of ${expect.join(' or ')}`);
    if (!missesRoute)
      problems.push(
        ...collectErrors(() => check({ method: operation.method, path: request.target, status, body: json })),
      );
    problems.push(
      ...(status === 200 ? findChangedFields(request, response) : envelopeProblems(request, response)),
    );
    if (headers['x-request-id'] === undefined) problems.push('has no X-Request-Id');
    else if (!missesRoute && !hasTwoRequestIds(request) && headers['x-request-id'] !== requestId)
      problems.push('has another X-Request-Id than the request');
    if (status === 401 && request.method !== 'HEAD') {
      firstRefusal ??= text;
      if (text !== firstRefusal) problems.push('is a 401 that differs from the others');
    }
    return problems;
  };
}

/** Returns the message of an error that `check` throws. */
export function collectErrors(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Formats a request for the report: request line, headers without the token, body. */
export function formatRequest({ method, target, headers, body }: WireRequest): string {
  const shown = headers.flatMap((name, index) => {
    const value = headers[index + 1] ?? '';
    return index % 2 === 1 || name === 'x-request-id' ? [] : [`${name}: ${value.slice(0, 60)}`];
  });
  const text = body === null ? '' : Buffer.from(body).toString().slice(0, 1500);
  return `${method} ${target.slice(0, 400)} [${shown.join(', ')}] ${JSON.stringify(text)}`;
}

/** Texts that reveal internals: the database, the runtime, the source. */
const internals =
  /node_modules|\.ts:\d|\bat \w+ \(|syntax error|violates|relation "|invalid input syntax|undefined/;

function envelopeProblems({ method }: WireRequest, { json, text }: WireResponse): string[] {
  if (method === 'HEAD') return [];
  const { success, error } = (json ?? {}) as { success?: boolean; error?: unknown };
  return [
    ...(success === false && error !== undefined ? [] : ['is not an error envelope']),
    ...(internals.test(text) ? ['reveals internals'] : []),
  ];
}

const hasTwoRequestIds = ({ headers }: WireRequest): boolean =>
  headers.some(
    (name, index) => index % 2 === 0 && name === 'x-request-id' && index !== headers.lastIndexOf(name),
  );

/** Lists the fields that the response returns under the same name with another value. */
function findChangedFields({ body }: WireRequest, { json }: WireResponse): string[] {
  if (body === null) return [];
  const { data } = (json ?? {}) as { data?: unknown };
  return differences(parseJson(body), data, '');
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function differences(sent: unknown, received: unknown, path: string): string[] {
  if (!isObject(sent) || !isObject(received)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    if (!Object.hasOwn(received, name)) return [];
    const at = `${path}/${name}`;
    if (isObject(value)) return differences(value, received[name], at);
    if (typeof value !== typeof received[name] || Array.isArray(value) || value === null) return [];
    const same = normalize(value) === normalize(received[name]);
    return same ? [] : [`returned ${at} changed: ${JSON.stringify(received[name])}`];
  });
}

/** The service may normalize ids, times and document names. */
function normalize(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^[0-9a-f-]{36}$/i.test(value)) return value.toLowerCase();
  if (/^\d{4}-\d\d-\d\dT/i.test(value)) return new Date(value).getTime() || value;
  return /\.(txt|pdf|docx|doc)\s*$/i.test(value) ? value.normalize('NFC').trim() : value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
