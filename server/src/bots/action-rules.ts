import type { InputIssue } from '../http/errors.ts';
import { toCompleteInput, type ValidInput } from '../http/validation/valid-input.ts';
import { findEndpointProblem } from './action-endpoint.ts';
import { type HeadersInput, readHeaders } from './action-headers.ts';
import { type BodyItem, type BotAction, isNumberLiteral, resolveItem, resolveMethod } from './bot-actions.ts';
import type { ActionInput, BodyItemInput } from './bots.schemas.ts';
import { findPlaceholders } from './placeholders.ts';

/**
 * What a schema cannot say of actions. What an input leaves out is that of the known action of its id, so that without
 * `known` every fault is found that does not depend on those. Found as they are asked for: there can be many.
 */
export function* actionIssues(
  inputs: readonly (ValidInput<ActionInput> | undefined)[] = [],
  known: readonly BotAction[] = [],
): Generator<InputIssue> {
  const knownById = new Map(known.map((action) => [action.id, action]));
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
  }
}

function idIssues(id: string | undefined, seen: Set<string>, at: string): InputIssue[] {
  if (id === undefined) return [];
  const issues = seen.has(id) ? [{ path: `${at}.id`, message: 'is given to another action already' }] : [];
  seen.add(id);
  return issues;
}

function endpointIssues(endpoint: string | undefined, at: string): InputIssue[] {
  const fault = endpoint === undefined ? null : findEndpointProblem(endpoint);
  return fault === null ? [] : [{ path: `${at}.endpoint`, message: fault }];
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
    // A query may repeat a name; an object cannot.
    if (!isQuery && keys.has(item.key)) issues.push({ path: `${path}.key`, message: 'is given twice' });
    keys.add(item.key);
    const resolved = resolveItem(item, known);
    if (!canBe(resolved)) issues.push({ path: `${path}.value`, message: `must be a ${resolved.type}` });
    return issues;
  });
}

/** Whether the value can be sent as its type; what the AI fills is known to be of it only then. */
function canBe({ value, type }: BodyItem): boolean {
  if (type === 'string' || value === '' || findPlaceholders(value).length > 0) return true;
  return type === 'boolean' ? value === 'true' || value === 'false' : isNumberLiteral(value);
}
