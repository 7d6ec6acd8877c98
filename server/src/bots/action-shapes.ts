import type { Static } from 'typebox';
import { type InputIssue, invalidInput } from '../http/errors.ts';
import { newId } from '../shared/ids.ts';
import { endpointFault } from './action-endpoint.ts';
import { type Header, presentHeaders, readHeaders } from './action-headers.ts';
import type { Action, ActionInput, ActionMethod, BodyItemType } from './bots.schemas.ts';
import { placeholderNames } from './placeholders.ts';

/** An action with all its members; header values in the clear. */
export interface BotAction {
  id: string;
  name: string;
  description: string;
  endpoint: string;
  method: ActionMethod;
  headers: readonly Header[];
  body: readonly BodyItem[];
}

/** An empty value is filled by the AI under the item's key. */
export interface BodyItem {
  key: string;
  value: string;
  type: BodyItemType;
}

/**
 * The actions as they will stand. One whose id is known keeps what the input leaves out; a new one gets the defaults.
 * Throws naming every fault of every action.
 */
export function resolveActions(
  inputs: readonly ActionInput[],
  known: readonly BotAction[],
  path = 'actions',
): BotAction[] {
  const knownById = new Map(known.map((action) => [action.id, action]));
  const issues: InputIssue[] = [];
  const ids = new Set<string>();
  const actions = inputs.map((input, index) => {
    const at = `${path}[${index}]`;
    const id = input.id?.toLowerCase() ?? newId();
    if (ids.has(id)) issues.push({ path: `${at}.id`, message: 'is given to another action already' });
    ids.add(id);
    const headers = input.headers === undefined ? null : readHeaders(input.headers, `${at}.headers`);
    const action = resolveAction(id, input, headers?.headers ?? null, knownById.get(id));
    issues.push(...(headers?.issues ?? []), ...actionFaults(action, at));
    return action;
  });
  if (issues.length > 0) throw invalidInput(issues);
  return actions;
}

/** What get returns, and update takes back unchanged. */
export const presentAction = (action: BotAction): Static<typeof Action> => ({
  id: action.id,
  name: action.name,
  description: action.description,
  endpoint: action.endpoint,
  method: action.method,
  headers: presentHeaders(action.headers),
  body: action.body.map(({ key, value, type }) => ({ key, value, type })),
});

function resolveAction(
  id: string,
  input: ActionInput,
  headers: Header[] | null,
  known: BotAction | undefined,
): BotAction {
  const knownTypes = new Map(known?.body.map(({ key, type }) => [key, type]));
  return {
    id,
    name: input.name,
    description: input.description ?? known?.description ?? '',
    endpoint: input.endpoint,
    method: input.method ?? known?.method ?? 'GET',
    headers: headers ?? known?.headers ?? [],
    body:
      input.body?.map(({ key, value, type }) => ({
        key,
        value,
        type: type ?? knownTypes.get(key) ?? 'string',
      })) ??
      known?.body ??
      [],
  };
}

function actionFaults(action: BotAction, at: string): InputIssue[] {
  const endpoint = endpointFault(action.endpoint);
  const keys = new Set<string>();
  const bodyIssues = action.body.flatMap((item, index) => {
    const issues: InputIssue[] = [];
    const path = `${at}.body[${index}]`;
    // A query may repeat a name; an object cannot.
    if (action.method !== 'GET' && keys.has(item.key))
      issues.push({ path: `${path}.key`, message: 'is given twice' });
    keys.add(item.key);
    if (!canBe(item)) issues.push({ path: `${path}.value`, message: `must be a ${item.type}` });
    return issues;
  });
  return [...(endpoint === null ? [] : [{ path: `${at}.endpoint`, message: endpoint }]), ...bodyIssues];
}

/** Whether the value can be sent as its type; what the AI fills is known to be of it only then. */
function canBe({ value, type }: BodyItem): boolean {
  if (type === 'string' || value === '' || placeholderNames(value).length > 0) return true;
  return type === 'boolean'
    ? value === 'true' || value === 'false'
    : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);
}
