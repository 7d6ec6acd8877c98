import type { AssistantSpec, ToolSpec } from '../assistant-provider/assistant-provider.ts';
import { cannotAnswerTool, handOverTool, replyTool } from '../assistant-provider/generating/model-prompt.ts';
import type { BotAction } from './bot-actions.ts';
import type { BotRow } from './bots.queries.ts';
import type { Question } from './bots.schemas.ts';
import type { BotPolicy } from './draft.queries.ts';
import { findPlaceholders, findSinglePlaceholder } from './placeholders.ts';

/** An action with the tool name that the model uses for it. */
export interface NamedTool {
  tool: string;
  action: BotAction;
}

interface SpecSource {
  bot: Pick<
    BotRow,
    'name' | 'identification_name' | 'instructions' | 'temperature' | 'chat_model_level' | 'vector_id'
  >;
  policy?: Partial<Pick<BotPolicy, 'purpose'>>;
  questions: readonly Question[];
  documents: readonly { ref: string }[];
}

const maxToolNameLength = 64;

export function createAssistantSpec(
  { bot, policy, questions, documents }: SpecSource,
  tools: readonly NamedTool[],
): AssistantSpec {
  return {
    name: bot.name,
    identificationName: bot.identification_name === '' ? bot.name : bot.identification_name,
    instructions: bot.instructions,
    ...(policy?.purpose ? { purpose: policy.purpose } : {}),
    temperature: bot.temperature,
    modelLevel: toModelLevel(bot.chat_model_level),
    questions: questions.map(({ question, answer }) => ({ question, answer })),
    tools: tools.map(toToolSpec),
    knowledge: { storeRef: bot.vector_id, documentRefs: documents.map(({ ref }) => ref) },
  };
}

/** Tools that a model gets besides the actions. */
const ownTools = [replyTool, cannotAnswerTool, handOverTool];

/** Derives a unique tool name matching `[A-Za-z_][A-Za-z0-9_-]{0,63}` from each action's name. All providers accept these names. */
export function nameTools(actions: readonly BotAction[]): NamedTool[] {
  const taken = new Set<string>(ownTools);
  return actions.map((action, index) => {
    const plain = toAsciiName(action.name) || `action_${index + 1}`;
    let tool = plain;
    for (let n = 2; taken.has(tool); n += 1) {
      const suffix = `_${n}`;
      tool = plain.slice(0, maxToolNameLength - suffix.length) + suffix;
    }
    taken.add(tool);
    return { tool, action };
  });
}

/** `Consultar preço` → `Consultar_preco`, `24h` → `_24h`; empty if no character can be kept. */
const toAsciiName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .replace(/^[^A-Za-z]/, '_$&')
    .slice(0, maxToolNameLength);

function toToolSpec({ tool, action }: NamedTool): ToolSpec {
  const { name, description } = action;
  return {
    name: tool,
    // A tool name allows only ASCII, so the description repeats the action's own name.
    description: description === '' ? name : `${name}: ${description}`,
    parameters: toParameters(action),
  };
}

/**
 * Returns one parameter per distinct placeholder and per body item without a value. A parameter that supplies the whole
 * value of a body item has the item's type.
 */
export function toParameters({
  endpoint,
  headers,
  body,
  parameters = [],
}: BotAction): ToolSpec['parameters'] {
  const types = new Map<string, 'string' | 'number' | 'boolean'>();
  for (const { key, value, type } of body) {
    const name = value === '' ? key : findSinglePlaceholder(value);
    if (name !== null) types.set(name, type);
  }
  const templates = [endpoint, ...headers.map(({ value }) => value), ...body.map(({ value }) => value)];
  for (const name of templates.flatMap(findPlaceholders)) {
    if (!types.has(name)) types.set(name, 'string');
  }
  const described = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return [...types].map(([name, type]) => {
    const { description = '', required = true } = described.get(name) ?? {};
    return { name, type, description, required };
  });
}

export function toModelLevel(level: number): 1 | 2 | 3 {
  if (level === 1 || level === 2 || level === 3) return level;
  throw new Error(`chat_model_level must be 1, 2 or 3, not ${level}`);
}
