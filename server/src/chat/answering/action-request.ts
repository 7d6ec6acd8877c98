import { isHeaderValue } from '../../knowledge/bots/action-headers.ts';
import { type BodyItem, type BotAction, isNumberLiteral } from '../../knowledge/bots/bot-actions.ts';
import { fillPlaceholders, findSinglePlaceholder } from '../../knowledge/bots/placeholders.ts';
import type { OutboundRequest } from '../../platform/outbound/outbound.ts';

export type ActionArguments = Readonly<Record<string, string | number | boolean>>;

/** The model sees the message. */
export class UnusableArguments extends Error {
  override readonly name = 'UnusableArguments';
}

/**
 * Builds the request of an action. Arguments are URL-encoded in the endpoint and unchanged in headers. Body items become
 * JSON of their type, or query parameters with GET. Throws `UnusableArguments`.
 */
export function actionRequest(action: BotAction, given: ActionArguments): OutboundRequest {
  const optional = new Set(action.parameters?.flatMap(({ name, required }) => (required ? [] : [name])));
  const argument: ReadArgument = (name) => {
    const value = given[name];
    if (value === undefined && !optional.has(name)) throw new UnusableArguments(`${name} is missing`);
    return typeof value === 'string' ? value.toWellFormed() : value;
  };
  const text = (template: string) => fillPlaceholders(template, (name) => String(argument(name) ?? ''));
  const url = fillEndpoint(action.endpoint, argument);
  const items = action.body.flatMap((item) => {
    const value = itemText(item, argument, text);
    return value === null ? [] : [{ ...item, value }];
  });
  const headers = Object.fromEntries(
    action.headers.map(({ key, value }) => [key, headerValue(key, text(value))]),
  );
  if (action.method === 'GET') {
    const pairs = items.map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
    url.search = [url.search.slice(1), ...pairs].filter((part) => part !== '').join('&');
    return { url: url.href, method: 'GET', headers };
  }
  if (items.length === 0) return { url: url.href, method: action.method, headers };
  return {
    url: url.href,
    method: action.method,
    headers: { 'content-type': 'application/json', ...lowerCased(headers) },
    body: `{${items.map(jsonMember).join(',')}}`,
  };
}

/** Returns undefined for an optional value that the AI left out. */
type ReadArgument = (name: string) => string | number | boolean | undefined;

function fillEndpoint(endpoint: string, argument: ReadArgument): URL {
  const filled = fillPlaceholders(endpoint, (name) => encodeURIComponent(String(argument(name) ?? '')));
  const marked = pathSegments(fillPlaceholders(endpoint, () => marker));
  for (const [index, segment] of pathSegments(filled).entries()) {
    if (marked[index]?.includes(marker)) requireOneSegment(segment);
  }
  return new URL(filled);
}

/** Endpoints contain no control characters. */
const marker = '\0';

/** Arguments are encoded, so the path has the same number of segments before and after it is filled. */
const pathSegments = (url: string): string[] => /^[^?#]*/.exec(url)?.[0].split('/') ?? [];

/** A server would read such a segment as another path. */
const readsAsOtherPath = /^[\s.]*$|[/\\\0]/;

function requireOneSegment(encoded: string): void {
  // Twice, because some servers decode a path twice.
  if (!readsAsOtherPath.test(decodePercent(decodePercent(encoded)))) return;
  throw new UnusableArguments(
    'an argument in the path of the URL must not be empty or only dots, or contain / or \\',
  );
}

/** Decodes bytes separately, because only ASCII matters here. Leaves a percent sign without two digits. */
const decodePercent = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );

function headerValue(name: string, value: string): string {
  if (!isHeaderValue(value)) {
    throw new UnusableArguments(`an argument does not fit into the header ${name}`);
  }
  return value;
}

/**
 * Returns the item's value as text, or null if it is not sent. An item without a value gets the argument named like its key. A
 * number literal is copied as text, because a conversion could change its digits.
 */
function itemText(item: BodyItem, argument: ReadArgument, text: (template: string) => string): string | null {
  if (item.type === 'number' && isNumberLiteral(item.value)) return item.value;
  const name = item.value === '' ? item.key : findSinglePlaceholder(item.value);
  const value = name === null ? text(item.value) : argument(name);
  if (value === undefined) return null;
  switch (item.type) {
    case 'string':
      return String(value);
    case 'number': {
      const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
      if (!Number.isFinite(number)) throw new UnusableArguments(`${item.key} must be a number`);
      return String(number);
    }
    case 'boolean':
      if (value !== true && value !== false && value !== 'true' && value !== 'false') {
        throw new UnusableArguments(`${item.key} must be true or false`);
      }
      return String(value);
  }
}

const jsonMember = ({ key, value, type }: BodyItem): string =>
  `${JSON.stringify(key)}:${type === 'string' ? JSON.stringify(value) : value}`;

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
