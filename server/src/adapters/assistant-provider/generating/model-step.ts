import { parseNearJson } from '../../../shared/near-json.ts';
import type {
  ModelRequest,
  ModelResponse,
  ModelState,
  ModelToolCall,
} from '../../language-model/language-model.ts';
import { type AssistantSpec, ProviderError, type TurnContext } from '../assistant-provider.ts';
import type { PromptMessage } from './model-messages.ts';
import {
  cannotAnswerTool,
  createActionTool,
  createEndTools,
  createSystemPrompt,
  type FormatLocalTime,
  handOverTool,
  type KnowledgeItem,
  limitHistory,
  replyTool,
  withContext,
} from './model-prompt.ts';

export interface GroundedTurn {
  spec: AssistantSpec;
  context: Pick<TurnContext, 'locale' | 'timeZone' | 'now' | 'allowHuman'>;
  knowledge: readonly KnowledgeItem[];
  /** Oldest first. */
  messages: readonly PromptMessage[];
  state: ModelState | null;
  fileSearch?: ModelRequest['fileSearch'];
  /** Then the model gets no actions. */
  mustAnswer?: boolean;
  /** Then the model gets no tools at all, and its text is the answer. */
  inPlainText?: boolean;
}

export type GeneratedStep =
  | { kind: 'tool_calls'; text: string; calls: readonly ModelToolCall[] }
  | {
      kind: 'answer';
      text: string;
      answered: boolean;
      /** Ids of items of `knowledge`. */
      sources: readonly string[];
      handsOver: boolean;
    };

/** Returns the request for one step. */
export function createStepRequest(
  modelId: string,
  turn: GroundedTurn,
  formatLocalTime: FormatLocalTime,
): ModelRequest {
  const { spec, context, knowledge, state, fileSearch, mustAnswer = false, inPlainText = false } = turn;
  const messages = limitHistory(inPlainText ? turn.messages.filter(isSpoken) : turn.messages);
  const tools = [...(mustAnswer ? [] : spec.tools.map(createActionTool)), ...createEndTools(context)];
  return {
    model: modelId,
    system: createSystemPrompt(spec, { ...context, searchesFiles: hasFiles(fileSearch), inPlainText }),
    messages: withContext(messages, context, knowledge, formatLocalTime),
    tools: inPlainText ? [] : tools,
    temperature: spec.temperature,
    state,
    ...(fileSearch !== undefined && hasFiles(fileSearch) ? { fileSearch } : {}),
  };
}

/** Excludes calls of actions and their results. */
const isSpoken = (message: PromptMessage): boolean =>
  message.role === 'user' || (message.role === 'assistant' && message.toolCalls.length === 0);

const hasFiles = (fileSearch: ModelRequest['fileSearch']): boolean =>
  fileSearch !== undefined && fileSearch.documentRefs.length > 0;

/**
 * Reads the model's response. Throws `ProviderError`, with kind `refused` if the model refused to answer and
 * `transient` if it wrote nothing.
 */
export function readStep(response: ModelResponse, knownIds: ReadonlySet<string>): GeneratedStep {
  const { text } = response;
  if (response.finishReason === 'refused') throw new ProviderError('refused', 'The model refused to answer');
  const ends = response.toolCalls.filter(({ tool }) => endTools.has(tool));
  const calls = response.toolCalls.filter(({ tool }) => !endTools.has(tool));
  // An answer in the same step was written before the results of the calls are known.
  if (calls.length > 0) return { kind: 'tool_calls', text, calls };
  const [end] = ends;
  const given = end === undefined ? {} : parseObject(end.arguments);
  const written = [given['text'], text].find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof written !== 'string') throw new ProviderError('transient', 'The model returned no text');
  return {
    kind: 'answer',
    text: written.trim(),
    answered: end?.tool !== cannotAnswerTool,
    sources: readSources(given['sources'], knownIds),
    handsOver: end?.tool === handOverTool,
  };
}

const endTools: ReadonlySet<string> = new Set([replyTool, cannotAnswerTool, handOverTool]);

function readSources(given: unknown, knownIds: ReadonlySet<string>): string[] {
  if (!Array.isArray(given)) return [];
  return [...new Set(given)].filter((id): id is string => typeof id === 'string' && knownIds.has(id));
}

/** Models send malformed arguments. */
function parseObject(text: string): Record<string, unknown> {
  const value = parseNearJson(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
