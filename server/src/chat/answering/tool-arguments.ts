import type { ToolParameter } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { toolSchema } from '../../knowledge/assistant-provider/tool-schema.ts';
import { toParameters } from '../../knowledge/bots/assistant-spec.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { formatPath } from '../../platform/http/validation/input-path.ts';
import { createIssueFinder } from '../../platform/http/validation/schema-issues.ts';
import { parseNearJson } from '../../platform/shared/near-json.ts';
import type { ActionArguments } from './action-request.ts';

const findIssues = createIssueFinder();
const maxIssues = 10;

type ReadArguments = { given: ActionArguments } | { fault: string };

/** Returns the fault if the arguments do not fit the action. */
export function checkArguments(action: BotAction, value: unknown): ReadArguments {
  // Without descriptions, because the finder keeps what it compiles for each distinct schema.
  const parameters = toParameters(action).map((parameter) => ({ ...parameter, description: '' }));
  const issues = [...findIssues(toolSchema(parameters), value)]
    .slice(0, maxIssues)
    .map(({ path, message }) => `${formatPath(path, 'the value')} ${message}`);
  // The schema allows an object of scalars only.
  return issues.length === 0 ? { given: value as ActionArguments } : { fault: issues.join('; ') };
}

/**
 * Reads arguments as a model wrote them. Corrects their notation and types where only one reading fits the action, and never
 * makes up a value. Returns the fault, for the model, if they still do not fit.
 */
export function readArguments(action: BotAction, text: string): ReadArguments {
  // Some models send nothing for a tool without parameters.
  const written = text.trim() === '' ? {} : parseNearJson(text, keepDigits);
  if (written === undefined) return { fault: 'the arguments are not JSON' };
  const value = Array.isArray(written) && written.length === 1 ? written[0] : written;
  if (isRecord(value)) return checkArguments(action, fit(toParameters(action), value));
  return checkArguments(action, value instanceof WrittenNumber ? value.source : (value ?? {}));
}

/** A number with the digits that the model wrote: those of an order number must not change. */
class WrittenNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

const keepDigits = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? new WrittenNumber(context?.source ?? String(value)) : value;

/** Drops members that the action does not know, unless a required one is missing: then the model may have misspelt it. */
function fit(parameters: readonly ToolParameter[], value: Record<string, unknown>): Record<string, unknown> {
  const given = new Map(Object.entries(value).filter(([, member]) => member !== null));
  const known = parameters.filter(({ name, type, required }) => {
    const isBlank = type !== 'string' && given.get(name) === '';
    return given.has(name) && (required || !isBlank);
  });
  const isComplete = parameters.every(({ name, required }) => !required || given.has(name));
  const names = new Set(parameters.map(({ name }) => name));
  const unknown = isComplete ? [] : [...given].filter(([name]) => !names.has(name));
  return Object.fromEntries([
    ...known.map(({ name, type }) => [name, convert(given.get(name), type)] as const),
    ...unknown,
  ]);
}

function convert(value: unknown, type: ToolParameter['type']): unknown {
  if (value instanceof WrittenNumber) return type === 'string' ? value.source : Number(value.source);
  switch (type) {
    case 'string':
      return typeof value === 'boolean' ? String(value) : value;
    case 'number':
      return typeof value === 'string' && isPlainNumber(value.trim()) ? Number(value) : value;
    case 'boolean': {
      const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
      return word === 'true' || word === 'false' ? word === 'true' : value;
    }
    default:
      return type satisfies never;
  }
}

/** Excludes digits that a conversion could change. */
const isPlainNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= 15;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
