import type { WireRequest, WireResponse } from '../../server/test/openapi/wire.ts';

/**
 * Members that were sent and come back under the same name must come back the same. Answers those that do not. Names of
 * documents are normalised by rule, ids and times have several spellings.
 */
export function echoFaults({ body }: WireRequest, { status, json }: WireResponse): string[] {
  if (status !== 200 || body === null) return [];
  const sent = parsed(body);
  const { data } = (json ?? {}) as { data?: unknown };
  return differences(sent, data, '');
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function differences(sent: unknown, got: unknown, path: string): string[] {
  if (!isObject(sent) || !isObject(got)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    if (!Object.hasOwn(got, name)) return [];
    const at = `${path}/${name}`;
    if (isObject(value)) return differences(value, got[name], at);
    if (typeof value !== typeof got[name] || Array.isArray(value) || value === null) return [];
    const same = spelling(value) === spelling(got[name]);
    return same ? [] : [`came back changed at ${at}: ${JSON.stringify(got[name])}`];
  });
}

function spelling(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^[0-9a-f-]{36}$/i.test(value)) return value.toLowerCase();
  if (/^\d{4}-\d\d-\d\dT/i.test(value)) return new Date(value).getTime() || value;
  return /\.(txt|pdf|docx|doc)\s*$/i.test(value) ? value.normalize('NFC').trim() : value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
