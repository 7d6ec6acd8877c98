import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { WireRequest, WireResponse } from '../../server/test/openapi/wire.ts';
import { createResponseCheck, type OpenapiDocument } from '../../server/test/response-check.ts';
import { echoFaults } from './echo.ts';
import { faultsOf } from './exchange.ts';

interface Exchange {
  operation: ApiOperation;
  request: WireRequest;
  requestId: string;
  response: WireResponse;
  expect: readonly number[];
  astray?: boolean;
}

/** Answers everything that is wrong with an answer. */
export function createJudge(document: OpenapiDocument): (exchange: Exchange) => string[] {
  const check = createResponseCheck(document);
  let refusal: string | null = null;

  return ({ operation, request, requestId, response, expect, astray = false }) => {
    const { status, text, json, headers } = response;
    const faults: string[] = [];
    if (status >= 500) faults.push(`answered ${status}`);
    else if (!expect.includes(status)) faults.push(`answered ${status} instead of ${expect.join(' or ')}`);
    if (!astray)
      faults.push(
        ...faultsOf(() => check({ method: operation.method, path: request.target, status, body: json })),
      );
    faults.push(...(status === 200 ? echoFaults(request, response) : envelopeFaults(request, response)));
    if (headers['x-request-id'] === undefined) faults.push('has no X-Request-Id');
    else if (!astray && !oddRequestId(request) && headers['x-request-id'] !== requestId)
      faults.push('does not bear its X-Request-Id');
    if (status === 401 && request.method !== 'HEAD') {
      refusal ??= text;
      if (text !== refusal) faults.push('is another 401 than the others');
    }
    return faults;
  };
}

/** Words of the inside: the database, the runtime, the source. */
const inside =
  /node_modules|\.ts:\d|\bat \w+ \(|syntax error|violates|relation "|invalid input syntax|undefined/;

function envelopeFaults({ method }: WireRequest, { json, text }: WireResponse): string[] {
  if (method === 'HEAD') return [];
  const { success, error } = (json ?? {}) as { success?: boolean; error?: unknown };
  return [
    ...(success === false && error !== undefined ? [] : ['is no error envelope']),
    ...(inside.test(text) ? ['tells of the inside'] : []),
  ];
}

const oddRequestId = ({ headers }: WireRequest): boolean =>
  headers.some(
    (name, index) => index % 2 === 0 && name === 'x-request-id' && index !== headers.lastIndexOf(name),
  );
