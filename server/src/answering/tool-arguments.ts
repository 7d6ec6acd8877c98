import { toolSchema } from '../adapters/assistant-provider/tool-schema.ts';
import { toParameters } from '../bots/assistant-spec.ts';
import type { BotAction } from '../bots/bot-actions.ts';
import { formatPath } from '../http/validation/input-path.ts';
import { createIssueFinder } from '../http/validation/schema-issues.ts';
import type { ActionArguments } from './action-request.ts';

const findIssues = createIssueFinder();
const maxIssues = 10;

/** Models send malformed arguments. Returns the fault for the model if the text does not fit the action. */
export function readArguments(
  action: BotAction,
  text: string,
): { given: ActionArguments } | { fault: string } {
  // Some models send nothing for a tool without parameters.
  const value = text.trim() === '' ? {} : parseJson(text);
  if (value === undefined) return { fault: 'the arguments are not JSON' };
  // Without descriptions, because the finder keeps what it compiles for each distinct schema.
  const parameters = toParameters(action).map((parameter) => ({ ...parameter, description: '' }));
  const issues = [...findIssues(toolSchema(parameters), value)]
    .slice(0, maxIssues)
    .map(({ path, message }) => `${formatPath(path, 'the value')} ${message}`);
  // The schema allows an object of scalars only.
  return issues.length === 0 ? { given: value as ActionArguments } : { fault: issues.join('; ') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
