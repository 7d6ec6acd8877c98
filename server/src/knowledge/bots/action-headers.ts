import type { InputIssue } from '../../platform/http/errors.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';

export interface Header {
  key: string;
  value: string;
}

/** Headers in an update: one pair, a map of names to values, or the form that get returns (with `all`). */
export type HeadersInput = Readonly<Record<string, string | readonly Header[]>>;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that describe the connection or its host. Partners may not set them, nor any proxy-* header. */
const forbiddenHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;

export const isHeaderValue = (value: string): boolean => !control.test(value);

/** Reads headers in any form of the input. `path` locates them in the request, for issues. */
export function readHeaders(input: HeadersInput, path: string): { headers: Header[]; issues: InputIssue[] } {
  const { all, ...members } = input;
  const { headers, issues } = all === undefined ? readMembers(members, path) : readAll(all, members, path);
  return { headers, issues: [...issues, ...findHeaderIssues(headers, path)] };
}

/** Returns the first header (empty strings without one). `all` is set when there are several. */
export function presentHeaders(headers: readonly Header[]): Header & { all?: Header[] } {
  const { key, value } = headers[0] ?? { key: '', value: '' };
  return {
    key,
    value,
    ...(headers.length > 1 ? { all: headers.map((h) => ({ key: h.key, value: h.value })) } : {}),
  };
}

function readMembers(members: HeadersInput, path: string): { headers: Header[]; issues: InputIssue[] } {
  const entries = Object.entries(members).map(([key, value]) => ({ key, value: String(value) }));
  if (!isPair(members)) return { headers: entries, issues: [] };
  const { key, value } = members;
  if (key !== '') return { headers: [{ key, value }], issues: [] };
  return {
    headers: [],
    issues: value === '' ? [] : [{ path: `${path}.key`, message: 'is missing for the value' }],
  };
}

/** Reads the form that get returns. Rejects a pair that differs from the first of `all`: the caller changed only one. */
function readAll(
  all: string | readonly Header[],
  members: HeadersInput,
  path: string,
): { headers: Header[]; issues: InputIssue[] } {
  if (typeof all === 'string')
    return { headers: [], issues: [{ path: `${path}.all`, message: 'must be a list' }] };
  const first = presentHeaders(all);
  const issues = Object.entries(members).flatMap(([name, value]) => {
    if (name !== 'key' && name !== 'value')
      return [{ path, message: 'must not have other names besides `all`' }];
    return value === first[name]
      ? []
      : [{ path: `${path}.${name}`, message: 'must equal that of the first header in `all`' }];
  });
  return { headers: [...all], issues };
}

const isPair = (members: HeadersInput): members is { key: string; value: string } =>
  Object.keys(members).length === 2 &&
  typeof members['key'] === 'string' &&
  typeof members['value'] === 'string';

function findHeaderIssues(headers: readonly Header[], path: string): InputIssue[] {
  const seen = new Set<string>();
  return headers.flatMap(({ key, value }) => {
    const name = key.toLowerCase();
    const problems: string[] = [];
    if (!token.test(key)) problems.push('is not a valid header name');
    else if (forbiddenHeaders.has(name) || name.startsWith('proxy-')) problems.push('may not be set');
    if (seen.has(name)) problems.push('is given twice');
    seen.add(name);
    if (!isHeaderValue(value)) problems.push('has a control character in its value');
    return problems.map((problem) => ({ path, message: `${quote(key)} ${problem}` }));
  });
}

/** Escapes a name for use inside a message. */
const quote = (name: string): string => JSON.stringify(takeStart(name, 100));
