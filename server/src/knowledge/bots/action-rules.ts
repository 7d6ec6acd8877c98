import type { InputIssue } from '../../platform/http/errors.ts';
import { toCompleteInput, type ValidInput } from '../../platform/http/validation/valid-input.ts';
import { type HeadersInput, readHeaders } from './action-headers.ts';
import { type BodyItem, type BotAction, isNumberLiteral, resolveItem, resolveMethod } from './bot-actions.ts';
import type { ActionInput, BodyItemInput } from './bots.schemas.ts';
import { fillPlaceholders, findPlaceholders } from './placeholders.ts';

/**
 * Scheme and host, then the rest. Stricter than a URL parser, which forgives tabs, backslashes and a third slash:
 * otherwise a filled placeholder could change the host that is called.
 */
const endpointPattern = /^https?:\/\/([^/?#\\\s]+)([/?#][^\\]*)?$/i;

/**
 * Yields the problems of actions that a schema cannot express. Omitted fields come from the known action with the same
 * id. Without `known`, the problems that depend on those fields are not found. Lazy, because there can be many.
 */
export function* actionIssues(
  inputs: readonly (ValidInput<ActionInput> | undefined)[] = [],
  known: readonly BotAction[] | null = null,
): Generator<InputIssue> {
  const knownById = new Map(known?.map((action) => [action.id, action]));
  const ids = new Set<string>();
  for (const [index, input] of inputs.entries()) {
    if (input === undefined) continue;
    const at = `actions[${index}]`;
    const { id } = input;
    const action = id === undefined ? undefined : knownById.get(id);
    yield* idIssues(id, ids, at);
    yield* endpointIssues(input.endpoint, at);
    yield* headerIssues(toCompleteInput<HeadersInput>(input.headers), at);
    yield* bodyIssues(input, action, at);
    yield* parameterIssues(input, action, known === null, at);
    yield* signingIssues(input, known === null || action?.signingSecret !== undefined, at);
  }
}

/** Every parameter must be a value that the AI fills in. Unknown if the input omits fields of an action that is not known yet. */
function parameterIssues(
  { parameters = [], endpoint, body, headers }: ValidInput<ActionInput>,
  known: BotAction | undefined,
  mayBeKnown: boolean,
  at: string,
): InputIssue[] {
  const isPartial = known === undefined && mayBeKnown && (body === undefined || headers === undefined);
  const items = body?.map((item) => toCompleteInput<BodyItemInput>(item)) ?? known?.body ?? [];
  const given = toCompleteInput<HeadersInput>(headers);
  const values = given === undefined ? (known?.headers ?? []) : readHeaders(given, '').headers;
  if (isPartial || endpoint === undefined || items.some((item) => item === undefined)) return [];
  const complete = items.filter((item) => item !== undefined);
  const templates = [endpoint, ...values.map(({ value }) => value), ...complete.map(({ value }) => value)];
  const filled = new Set([
    ...templates.flatMap(findPlaceholders),
    ...complete.flatMap(({ key, value }) => (value === '' ? [key] : [])),
  ]);
  const seen = new Set<string>();
  return parameters.flatMap((parameter, index) => {
    const name = parameter?.name;
    if (name === undefined) return [];
    const problem = seen.has(name)
      ? 'is given twice'
      : filled.has(name)
        ? null
        : 'must be the name of a placeholder, or the key of a body item without a value';
    seen.add(name);
    return problem === null ? [] : [{ path: `${at}.parameters[${index}].name`, message: problem }];
  });
}

function idIssues(id: string | undefined, seen: Set<string>, at: string): InputIssue[] {
  if (id === undefined) return [];
  const issues = seen.has(id) ? [{ path: `${at}.id`, message: 'is already the id of another action' }] : [];
  seen.add(id);
  return issues;
}

function signingIssues(input: ValidInput<ActionInput>, mayHaveSecret: boolean, at: string): InputIssue[] {
  // Invalid members are present as undefined.
  const isGiven = 'signing_secret' in input;
  if (input.signed === false && isGiven) {
    return [{ path: `${at}.signed`, message: 'must not be false with a signing_secret' }];
  }
  if (input.signed !== true || isGiven || mayHaveSecret) return [];
  return [{ path: `${at}.signed`, message: 'needs a signing_secret' }];
}

function endpointIssues(endpoint: string | undefined, at: string): InputIssue[] {
  const problem = endpoint === undefined ? null : findEndpointProblem(endpoint);
  return problem === null ? [] : [{ path: `${at}.endpoint`, message: problem }];
}

/** Checks only the syntax. The target address is checked when the action is called. */
export function findEndpointProblem(endpoint: string): string | null {
  const [, authority = '', rest = ''] = endpointPattern.exec(endpoint) ?? [];
  if (authority === '') return 'must be an http(s) URL';
  if (/[{}]/.test(authority)) return 'must not have a placeholder in its scheme or host';
  if (authority.includes('@')) return 'must not contain credentials: send them in a header';
  const filled = fillPlaceholders(rest, () => 'x');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  if (/[\s\u0000-\u001f\u007f]/.test(filled)) return 'must not contain spaces or control characters';
  return URL.canParse(`http://${authority}${filled}`) ? null : 'must be an http(s) URL';
}

const headerIssues = (headers: HeadersInput | undefined, at: string): InputIssue[] =>
  headers === undefined ? [] : readHeaders(headers, `${at}.headers`).issues;

function bodyIssues(
  { body: given, method }: ValidInput<ActionInput>,
  known: BotAction | undefined,
  at: string,
): InputIssue[] {
  const items = given?.map((item) => toCompleteInput<BodyItemInput>(item)) ?? known?.body ?? [];
  const isQuery = resolveMethod(method, known) === 'GET';
  const keys = new Set<string>();
  return items.flatMap((item, index) => {
    if (item === undefined) return [];
    const issues: InputIssue[] = [];
    const path = `${at}.body[${index}]`;
    // A query string may repeat a name, a JSON object may not.
    if (!isQuery && keys.has(item.key)) issues.push({ path: `${path}.key`, message: 'is given twice' });
    keys.add(item.key);
    const resolved = resolveItem(item, known);
    if (!isValidValue(resolved))
      issues.push({ path: `${path}.value`, message: `must be a ${resolved.type}` });
    return issues;
  });
}

/** Values that the AI fills are checked when the action is called. */
function isValidValue({ value, type }: BodyItem): boolean {
  if (type === 'string' || value === '' || findPlaceholders(value).length > 0) return true;
  return type === 'boolean' ? value === 'true' || value === 'false' : isNumberLiteral(value);
}
