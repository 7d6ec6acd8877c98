import { isHeaderValue } from '../bots/action-headers.ts';
import { type BodyItem, type BotAction, isNumberLiteral } from '../bots/bot-actions.ts';
import { fillPlaceholders, findSinglePlaceholder } from '../bots/placeholders.ts';
import type { OutboundRequest } from '../outbound/outbound.ts';

/** What the model has filled in, by the parameter's name. */
export type ActionArguments = Readonly<Record<string, string | number | boolean>>;

/** Arguments that an action cannot be called with; the message is for the model. */
export class UnusableArguments extends Error {
  override readonly name = 'UnusableArguments';
}

/**
 * The request of an action: arguments URL-encoded in the endpoint and unable to leave their place in its path, as they
 * are in headers, as JSON of the item's type in the body, or in the query with GET. Throws `UnusableArguments`.
 */
export function actionRequest(action: BotAction, given: ActionArguments): OutboundRequest {
  const argument = (name: string): string | number | boolean => {
    const value = given[name];
    if (value === undefined) throw new UnusableArguments(`${name} is missing`);
    return typeof value === 'string' ? value.toWellFormed() : value;
  };
  const text = (template: string) => fillPlaceholders(template, (name) => String(argument(name)));
  const url = filledEndpoint(action.endpoint, argument);
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

function filledEndpoint(endpoint: string, argument: (name: string) => unknown): URL {
  const filled = new URL(fillPlaceholders(endpoint, (name) => encodeURIComponent(String(argument(name)))));
  const written = new URL(fillPlaceholders(endpoint, () => 'x'));
  // `..` and `.` are folded by the parser, encoded or not, and would name another resource of the same host.
  if (filled.origin !== written.origin || depth(filled) !== depth(written)) {
    throw new UnusableArguments('an argument does not fit into the address');
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
 * The item's value as text, which JSON takes as it is for a number or a boolean. One that is a placeholder, or empty,
 * becomes its argument. A number that was written stays as it is, which a number in memory would not.
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
