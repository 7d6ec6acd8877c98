import type { Static } from 'typebox';
import type { Actor } from '../../platform/http/actor.ts';
import { newId } from '../../platform/shared/ids.ts';
import { seesSecrets } from '../../tenancy/roles/roles.ts';
import { type Header, presentHeaders, readHeaders } from './action-headers.ts';
import type {
  Action,
  ActionInput,
  ActionMethod,
  BodyItemInput,
  BodyItemType,
  ParameterInput,
} from './bots.schemas.ts';

/** An action with all its fields. Header values and the signing secret are not sealed. */
export interface BotAction {
  id: string;
  name: string;
  description: string;
  endpoint: string;
  method: ActionMethod;
  headers: readonly Header[];
  body: readonly BodyItem[];
  /** The partner's descriptions of the values that the AI fills in. */
  parameters?: readonly ActionParameter[];
  /** Absent for an action whose calls are not signed. */
  signingSecret?: string;
}

export interface ActionParameter {
  name: string;
  description: string;
  required: boolean;
}

/** The AI fills an empty value, as a parameter named like the item's key. */
export interface BodyItem {
  key: string;
  value: string;
  type: BodyItemType;
}

/** Whether the value is a JSON number. Items of type `number` hold one, which is sent unchanged. */
export const isNumberLiteral = (value: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);

/**
 * Returns the complete actions for an input that passed `actionIssues`. An action with a known id keeps the fields that
 * the input omits. A new action gets defaults.
 */
export function resolveActions(inputs: readonly ActionInput[], known: readonly BotAction[]): BotAction[] {
  const knownById = new Map(known.map((action) => [action.id, action]));
  return inputs.map((input) => {
    const id = input.id ?? newId();
    return resolveAction(id, input, knownById.get(id));
  });
}

/** Presents an action in the form that get returns and update accepts, without its signing secret. Roles below editor get empty header values. */
export const presentAction = (actor: Actor, action: BotAction): Static<typeof Action> => ({
  id: action.id,
  name: action.name,
  description: action.description,
  endpoint: action.endpoint,
  method: action.method,
  headers: presentHeaders(
    seesSecrets(actor, 'updateBot') ? action.headers : action.headers.map(({ key }) => ({ key, value: '' })),
  ),
  body: action.body.map(({ key, value, type }) => ({ key, value, type })),
  ...presentParameters(action.parameters),
  ...(action.signingSecret === undefined ? {} : { signed: true }),
});

const presentParameters = (parameters: readonly ActionParameter[] = []) =>
  parameters.length === 0
    ? {}
    : {
        parameters: parameters.map(({ name, description, required }) => ({ name, description, required })),
      };

function resolveAction(id: string, input: ActionInput, known: BotAction | undefined): BotAction {
  const headers = input.headers === undefined ? undefined : readHeaders(input.headers, '').headers;
  const signingSecret = resolveSigningSecret(input, known);
  return {
    id,
    name: input.name,
    description: input.description ?? known?.description ?? '',
    endpoint: input.endpoint,
    method: resolveMethod(input.method, known),
    headers: headers ?? known?.headers ?? [],
    body: input.body?.map((item) => resolveItem(item, known)) ?? known?.body ?? [],
    parameters: input.parameters?.map(resolveParameter) ?? known?.parameters ?? [],
    ...(signingSecret === undefined ? {} : { signingSecret }),
  };
}

const resolveParameter = ({ name, description = '', required = true }: ParameterInput): ActionParameter => ({
  name,
  description,
  required,
});

/** An update without `signed` or `signing_secret` keeps the secret. */
const resolveSigningSecret = (
  { signed, signing_secret }: Pick<ActionInput, 'signed' | 'signing_secret'>,
  known: BotAction | undefined,
): string | undefined => (signed === false ? undefined : (signing_secret ?? known?.signingSecret));

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
