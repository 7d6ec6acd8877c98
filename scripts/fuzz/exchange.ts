import type { WireRequest } from '../../server/test/openapi/wire.ts';

/** For replay: request line, headers without the token, body. */
export function show({ method, target, headers, body }: WireRequest): string {
  const shown = headers.flatMap((name, index) => {
    const value = headers[index + 1] ?? '';
    return index % 2 === 1 || name === 'x-request-id' ? [] : [`${name}: ${value.slice(0, 60)}`];
  });
  const text = body === null ? '' : Buffer.from(body).toString().slice(0, 1500);
  return `${method} ${target.slice(0, 400)} [${shown.join(', ')}] ${JSON.stringify(text)}`;
}

/** What a check that throws has to say. */
export function faultsOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
