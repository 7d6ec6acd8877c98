import { newId } from '../../../platform/shared/ids.ts';
import type {
  ModelRequest,
  ModelResponse,
  ModelState,
  ModelTool,
  ModelToolCall,
} from '../../../ports/language-model/language-model.ts';
import { ProviderError } from '../../../ports/provider-error.ts';
import type { AssistantSpec, TurnContext } from '../assistant-provider.ts';
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
import { type ModelText, readReplyArguments } from './model-text.ts';
import type { WrittenCall } from './written-calls.ts';

export interface GroundedTurn {
  spec: AssistantSpec;
  context: Pick<TurnContext, 'locale' | 'timeZone' | 'now' | 'allowHuman'>;
  /** Best first. */
  knowledge: readonly KnowledgeItem[];
  /** Whether `knowledge` is all that the bot knows. */
  knowsAll?: boolean;
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
  | {
      kind: 'tool_calls';
      text: string;
      calls: readonly ModelToolCall[];
      /** Whether the model wrote the calls as text. */
      asText: boolean;
    }
  | {
      kind: 'answer';
      text: string;
      /** Null if the model wrote only text, which does not say so. */
      answered: boolean | null;
      offTopic: boolean;
      /** Ids of items of `knowledge`. */
      sources: readonly string[];
      handsOver: boolean;
      shortened: boolean;
    };

/** Returns the request for one step. */
export function createStepRequest(
  modelId: string,
  turn: GroundedTurn,
  formatLocalTime: FormatLocalTime,
): ModelRequest {
  const { spec, context, knowledge, knowsAll = false, state, fileSearch, inPlainText = false } = turn;
  const messages = limitHistory(inPlainText ? turn.messages.filter(isSpoken) : turn.messages);
  return {
    model: modelId,
    system: createSystemPrompt(spec, { ...context, searchesFiles: hasFiles(fileSearch), inPlainText }),
    messages: withContext(messages, context, { knowledge, knowsAll }, formatLocalTime),
    tools: inPlainText ? [] : listTools(turn),
    temperature: spec.temperature,
    state,
    ...(fileSearch !== undefined && hasFiles(fileSearch) ? { fileSearch } : {}),
  };
}

/** Excludes calls of actions and their results. */
const isSpoken = (message: PromptMessage): boolean =>
  message.role === 'user' || (message.role === 'assistant' && message.toolCalls.length === 0);

/** Returns the tools that the model may call in this step. */
export const listTools = ({
  spec,
  context,
  mustAnswer = false,
}: Pick<GroundedTurn, 'spec' | 'context' | 'mustAnswer'>): ModelTool[] => [
  ...(mustAnswer ? [] : spec.tools.map(createActionTool)),
  ...createEndTools(context),
];

const hasFiles = (fileSearch: ModelRequest['fileSearch']): boolean =>
  fileSearch !== undefined && fileSearch.documentRefs.length > 0;

type ReadText = (written: string) => ModelText;

/**
 * Reads the model's response. Throws `ProviderError`, with kind `refused` if the model refused to answer and
 * `transient` if it wrote nothing for the contact.
 */
export function readStep(
  response: ModelResponse,
  knownIds: ReadonlySet<string>,
  readText: ReadText,
): GeneratedStep {
  if (response.finishReason === 'refused') throw new ProviderError('refused', 'The model refused to answer');
  const own = readText(response.text);
  const asText = response.toolCalls.length === 0;
  const made = asText ? own.calls.map(toToolCall) : response.toolCalls;
  const calls = made.filter(({ tool }) => !endTools.has(tool));
  // An answer in the same step was written before the results of the calls are known.
  if (calls.length > 0) return { kind: 'tool_calls', text: own.text, calls, asText };
  const end = made.find(({ tool }) => endTools.has(tool)) ?? null;
  const answer = readAnswer(own, end, readText);
  if (answer.calls.length > 0)
    return { kind: 'tool_calls', text: own.text, calls: answer.calls.map(toToolCall), asText: true };
  if (answer.text === '') throw new ProviderError('transient', 'The model returned no text');
  return {
    kind: 'answer',
    text: answer.text,
    answered: end === null ? null : end.tool !== cannotAnswerTool,
    offTopic: end?.tool === cannotAnswerTool && readReplyArguments(end.arguments).isOffTopic === true,
    sources: readSources(answer.sources, knownIds),
    handsOver: end?.tool === handOverTool,
    shortened: answer.shortened,
  };
}

const endTools: ReadonlySet<string> = new Set([replyTool, cannotAnswerTool, handOverTool]);

/** Some models write a reply within a reply. */
const deepestReply = 3;

/** Reads the text of the call that ends an answer. `calls` are those that the model wrote into that text. */
export function readAnswer(
  own: ModelText,
  end: WrittenCall | null,
  readText: ReadText,
  depth = 1,
): ModelText & { sources: unknown } {
  const given = end === null ? null : readReplyArguments(end.arguments);
  if (given === null || given.text === null) return { ...own, calls: [], sources: given?.sources };
  const said = readText(given.text);
  const calls = said.calls.filter(({ tool }) => !endTools.has(tool));
  const inner = said.calls.find(({ tool }) => endTools.has(tool));
  if (calls.length > 0 || said.text !== '') return { ...said, calls, sources: given.sources };
  return inner === undefined || depth === deepestReply
    ? { ...own, calls: [], sources: given.sources }
    : readAnswer(own, inner, readText, depth + 1);
}

/** Mistral requires nine letters or digits. */
const toToolCall = (call: WrittenCall): ModelToolCall => ({
  ...call,
  callId: newId().replaceAll('-', '').slice(-9),
});

function readSources(given: unknown, knownIds: ReadonlySet<string>): string[] {
  if (!Array.isArray(given)) return [];
  return [...new Set(given)].filter((id): id is string => typeof id === 'string' && knownIds.has(id));
}
