import { isHeaderValue } from '../bots/action-headers.ts';
import { type BodyItem, type BotAction, isNumberLiteral } from '../bots/bot-actions.ts';
import { fillPlaceholders, findSinglePlaceholder } from '../bots/placeholders.ts';
import type { OutboundRequest } from '../outbound/outbound.ts';

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
  const argument = (name: string): string | number | boolean => {
    const value = given[name];
    if (value === undefined) throw new UnusableArguments(`${name} is missing`);
    return typeof value === 'string' ? value.toWellFormed() : value;
  };
  const text = (template: string) => fillPlaceholders(template, (name) => String(argument(name)));
  const url = fillEndpoint(action.endpoint, argument);
  const items = action.body.map((item) => ({ ...item, value: itemText(item, argument, text) }));
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

function fillEndpoint(endpoint: string, argument: (name: string) => unknown): URL {
  const filled = new URL(fillPlaceholders(endpoint, (name) => encodeURIComponent(String(argument(name)))));
  const template = new URL(fillPlaceholders(endpoint, () => 'x'));
  // The URL parser resolves `..` and `.`, encoded or not, so an argument could reach another resource of the host.
  if (filled.origin !== template.origin || depth(filled) !== depth(template)) {
    throw new UnusableArguments('an argument does not fit into the URL');
  }
  return filled;
}

const depth = ({ pathname }: URL): number => pathname.split('/').length;

function headerValue(name: string, value: string): string {
  if (!isHeaderValue(value)) {
    throw new UnusableArguments(`an argument does not fit into the header ${name}`);
  }
  return value;
}

/**
 * Returns the item's value as text. An empty value stands for the argument of that name. A number literal is copied as text,
 * because a conversion could change its digits.
 */
function itemText(
  item: BodyItem,
  argument: (name: string) => string | number | boolean,
  text: (template: string) => string,
): string {
  if (item.type === 'number' && isNumberLiteral(item.value)) return item.value;
  const name = item.value === '' ? item.key : findSinglePlaceholder(item.value);
  const value = name === null ? text(item.value) : argument(name);
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
