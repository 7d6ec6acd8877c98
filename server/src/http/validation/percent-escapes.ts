import type { InputIssue } from '../errors.ts';
import { pathOf } from './input-path.ts';

/** Whether the text's percent signs, if any, escape UTF-8. */
export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The parameters of a URL's query whose percent signs escape no text: they have been taken as they stand. */
export function findEscapeIssues(url: string): InputIssue[] {
  const query = url.slice(url.search(/[?#]|$/) + 1);
  if (isDecodable(query)) return [];
  return query
    .split('&')
    .filter((parameter) => !isDecodable(parameter))
    .map((parameter) => ({
      path: pathOf([nameOf(parameter)], '(query)'),
      message: 'is not UTF-8 in percent-encoding',
    }));
}

function nameOf(parameter: string): string {
  const name = (parameter.split('=')[0] ?? '').replaceAll('+', ' ');
  return isDecodable(name) ? decodeURIComponent(name) : name;
}
