import type { InputIssue } from '../http/errors.ts';

export interface Header {
  key: string;
  value: string;
}

/** What update takes: a pair, a map of names to values, or what get returned (with `all`). */
export type HeadersInput = Readonly<Record<string, string | readonly Header[]>>;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** They belong to the connection or say whom it is with, which is not the partner's to decide; proxy-* likewise. */
const ours = new Set([
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Whether HTTP allows the value in a header, in UTF-8: no control character of ASCII but the tab. */
export const isHeaderValue = (value: string): boolean => !control.test(value);

/** Reads any of the input's forms. `path` is where the headers stand in the request. */
export function readHeaders(input: HeadersInput, path: string): { headers: Header[]; issues: InputIssue[] } {
  const { all, ...members } = input;
  const { headers, issues } = all === undefined ? readMembers(members, path) : readAll(all, members, path);
  return { headers, issues: [...issues, ...headerFaults(headers, path)] };
}

/** `""` when there are none; with several, `all` of them beside the first. */
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

/** The form of get: the pair repeats the first of `all`, so one that says otherwise is a change half made. */
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
      return [{ path, message: 'must not have other names beside `all`' }];
    return value === first[name]
      ? []
      : [{ path: `${path}.${name}`, message: 'must be that of the first in `all`' }];
  });
  return { headers: [...all], issues };
}

const isPair = (members: HeadersInput): members is { key: string; value: string } =>
  Object.keys(members).length === 2 &&
  typeof members['key'] === 'string' &&
  typeof members['value'] === 'string';

function headerFaults(headers: readonly Header[], path: string): InputIssue[] {
  const seen = new Set<string>();
  return headers.flatMap(({ key, value }) => {
    const name = key.toLowerCase();
    const faults: string[] = [];
    if (!token.test(key)) faults.push('is not a header name');
    else if (ours.has(name) || name.startsWith('proxy-')) faults.push('may not be set');
    if (seen.has(name)) faults.push('is given twice');
    seen.add(name);
    if (!isHeaderValue(value)) faults.push('has a control character in its value');
    return faults.map((fault) => ({ path, message: `${quoted(key)} ${fault}` }));
  });
}

/** Shown within a message, so that nothing of it acts there. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));
