import { fillPlaceholders } from './placeholders.ts';

/**
 * Scheme and host, then the rest. Stricter than what a URL parser forgives (tabs, backslashes, a third slash), so that
 * nothing but the written text can decide which host is called.
 */
const shape = /^https?:\/\/([^/?#\\\s]+)([/?#][^\\]*)?$/i;

/** What is wrong with an endpoint by its syntax; null when nothing is. Whom it reaches is judged when it is called. */
export function findEndpointProblem(endpoint: string): string | null {
  const [, authority = '', rest = ''] = shape.exec(endpoint) ?? [];
  if (authority === '') return 'must be an http(s) address';
  if (/[{}]/.test(authority)) return 'must not have a placeholder in its scheme or host';
  if (authority.includes('@')) return 'must not carry credentials: send them in a header';
  const filled = fillPlaceholders(rest, () => 'x');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\s\u0000-\u001f\u007f]/.test(filled)) return 'must not contain blanks or control characters';
  return URL.canParse(`http://${authority}${filled}`) ? null : 'must be an http(s) address';
}
