import type { InputIssue } from '../errors.ts';
import { formatPath } from './input-path.ts';

export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reports query parameters with invalid percent escapes. The query parser leaves them undecoded. */
export function findEscapeIssues(url: string): InputIssue[] {
  const query = url.slice(url.search(/[?#]|$/) + 1);
  if (isDecodable(query)) return [];
  return query
    .split('&')
    .filter((parameter) => !isDecodable(parameter))
    .map((parameter) => ({
      path: formatPath([readName(parameter)], '(query)'),
      message: 'must be percent-encoded UTF-8',
    }));
}

function readName(parameter: string): string {
  const name = (parameter.split('=')[0] ?? '').replaceAll('+', ' ');
  return isDecodable(name) ? decodeURIComponent(name) : name;
}
