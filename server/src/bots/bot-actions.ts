import type { Static } from 'typebox';
import { newId } from '../shared/ids.ts';
import { type Header, presentHeaders, readHeaders } from './action-headers.ts';
import type { Action, ActionInput, ActionMethod, BodyItemInput, BodyItemType } from './bots.schemas.ts';

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

/** A number by the syntax of JSON: what an item of that type may hold, and is sent as it is written. */
export const isNumberLiteral = (value: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);

/**
 * The actions as they will stand. One whose id is known keeps what the input leaves out; a new one gets the defaults. The
 * input is one that `actionIssues` finds no fault with.
 */
export function resolveActions(inputs: readonly ActionInput[], known: readonly BotAction[]): BotAction[] {
  const knownById = new Map(known.map((action) => [action.id, action]));
  return inputs.map((input) => {
    const id = input.id ?? newId();
    return resolveAction(id, input, knownById.get(id));
  });
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

function resolveAction(id: string, input: ActionInput, known: BotAction | undefined): BotAction {
  const headers = input.headers === undefined ? undefined : readHeaders(input.headers, '').headers;
  return {
    id,
    name: input.name,
    description: input.description ?? known?.description ?? '',
    endpoint: input.endpoint,
    method: resolveMethod(input.method, known),
    headers: headers ?? known?.headers ?? [],
    body: input.body?.map((item) => resolveItem(item, known)) ?? known?.body ?? [],
  };
}

export const resolveMethod = (given: ActionMethod | undefined, known: BotAction | undefined): ActionMethod =>
  given ?? known?.method ?? 'GET';

export const resolveItem = (
  { key, value, type }: BodyItemInput,
  known: Pick<BotAction, 'body'> | undefined,
): BodyItem => ({
  key,
  value,
  type: type ?? known?.body.findLast((item) => item.key === key)?.type ?? 'string',
});
