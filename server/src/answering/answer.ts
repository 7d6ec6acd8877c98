import { createHash } from 'node:crypto';
import {
  type AnswerSource,
  type AssistantProvider,
  type AssistantStep,
  type AssistantTurn,
  type ProviderError,
  type StepFailure,
  type StepUsage,
  type ToolResult,
  type TurnContext,
  type TurnMessage,
  unknownOutcome,
} from '../adapters/assistant-provider/assistant-provider.ts';
import type { ModelToolCall } from '../adapters/language-model/language-model.ts';
import type { BotAction } from '../bots/bot-actions.ts';
import type { LoadedBot } from '../bots/bot-loader.ts';
import type { ActionMethod } from '../bots/bots.schemas.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { toStorableText } from '../shared/storable-text.ts';
import type { ActionArguments } from './action-request.ts';
import type { Chat } from './action-signature.ts';
import type { ActionResult, CallAction } from './call-action.ts';
import type { CallWithResult } from './conversation-context.queries.ts';
import { readArguments } from './tool-arguments.ts';
import type { LoggedCall, LoggedStep, ToolCall, ToolCallLog, ToolOutcome } from './tool-call-log.ts';

export interface Answer {
  /** Null if the model did not finish within `maxSteps`. */
  text: string | null;
  answered: boolean;
  handsOver: boolean;
  sources: readonly AnswerSource[];
  actions: readonly CalledAction[];
  /** The calls as the model wrote them, with their results. */
  calls: readonly CallWithResult[];
  usage: readonly StepUsage[];
  /** Why the embedded composer took a step instead of the model; else null. */
  fallback: StepFailure | null;
  embeddingFailure: ProviderError['kind'] | null;
  elapsedMs: number;
}

interface CalledAction {
  /** The partner's name of the action. An unknown action has the model's name. */
  name: string;
  /** Empty if the model's arguments do not fit the action. */
  arguments: ActionArguments;
  status: number | null;
  ms: number;
  error: string | null;
}

const maxSteps = 8;

interface AnswerOptions {
  provider: Pick<AssistantProvider, 'step'>;
  bot: LoadedBot;
  context: TurnContext;
  messages: readonly TurnMessage[];
  callAction: CallAction;
  toolCalls: ToolCallLog;
  /** Null for a question that is asked over the API. */
  chat: Chat | null;
  idempotencySeed: string;
  signal: AbortSignal;
  faultPoint: FaultPoint;
}

/**
 * Runs the model and the actions that it requests. The model sees failures of actions. Continues after the calls that
 * `toolCalls` has stored. Rejects with `ProviderError`, `ClaimLost` or the signal's reason.
 */
export async function generateAnswer(options: AnswerOptions): Promise<Answer> {
  const { bot, context, toolCalls } = options;
  const { assistantRef, revision, withdrawnDocumentRefs } = bot;
  const startedAt = performance.now();
  const messages = [...options.messages];
  const actions: CalledAction[] = [];
  const finishedCalls: CallWithResult[] = [];
  const usage: StepUsage[] = [];
  let fallback: StepFailure | null = null;
  let embeddingFailure: ProviderError['kind'] | null = null;
  let state: unknown = null;
  const close = (end: Pick<Answer, 'text' | 'answered' | 'sources' | 'handsOver'>): Answer => {
    const { text, answered, sources, handsOver } = end;
    const elapsedMs = msSince(startedAt);
    const outcome = { actions, calls: finishedCalls, usage, fallback, embeddingFailure, elapsedMs };
    return { text, answered, sources, handsOver, ...outcome };
  };
  for (let index = 0; index < maxSteps; index += 1) {
    const turn = { assistantRef, revision, withdrawnDocumentRefs, context, messages, state };
    const { step, calls } = toolCalls.earlier[index] ?? (await takeStep(options, turn, actions.length));
    usage.push(...step.usage);
    fallback ??= step.fallback;
    embeddingFailure ??= step.embeddingFailure ?? null;
    if (step.kind === 'answer') return close({ ...step, text: toStorableText(step.text) });
    const results: ToolResult[] = [];
    for (const logged of calls) {
      const { result, ...outcome } = logged.outcome ?? (await runCall(options, logged, actions.length));
      const { callId, tool } = logged.call;
      results.push({ callId, tool, result });
      finishedCalls.push({ tool, arguments: logged.call.arguments, result });
      actions.push({ ...describeCall(bot, logged.call), ...outcome });
    }
    messages.push(
      { role: 'assistant', text: step.text, calls: calls.map(({ call }) => toModelCall(call)) },
      { role: 'tool_results', results },
    );
    state = step.state;
  }
  return close({ text: null, answered: false, sources: [], handsOver: false });
}

type TakenStep = LoggedStep | { step: Extract<AssistantStep, { kind: 'answer' }>; calls: readonly [] };

/** Stores the calls of a step before the first one is made. `position` counts the earlier calls. */
async function takeStep(
  { provider, bot, toolCalls, signal, faultPoint }: AnswerOptions,
  turn: AssistantTurn,
  position: number,
): Promise<TakenStep> {
  const step = await provider.step(turn, signal);
  faultPoint('answer.after_step');
  if (step.kind === 'answer') return { step, calls: [] };
  const calls = step.calls.map((call) => ({ ...call, method: bot.tools.get(call.tool)?.method ?? null }));
  await toolCalls.add(position, step, calls);
  return { step, calls: calls.map((call) => ({ call, outcome: null, mayHaveBeenSent: false })) };
}

/** Makes a call and stores its outcome. Does not repeat a call that an earlier attempt may have sent, except a GET. */
async function runCall(
  options: AnswerOptions,
  { call, mayHaveBeenSent }: LoggedCall,
  position: number,
): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const action = options.bot.tools.get(call.tool);
  const isRepeated = isRepeatable(call.method) && isRepeatable(action?.method ?? null);
  const result =
    mayHaveBeenSent && !isRepeated
      ? interruptedCall
      : action === undefined
        ? failedCall('there is no such action')
        : await makeCall(options, action, call, position);
  const outcome = { ...result, ms: msSince(startedAt) };
  await options.toolCalls.finish(position, action?.name ?? call.tool, outcome);
  return outcome;
}

async function makeCall(
  { bot, callAction, chat, idempotencySeed, signal, faultPoint }: AnswerOptions,
  action: BotAction,
  { tool, arguments: written }: ToolCall,
  position: number,
): Promise<ActionResult> {
  const read = readArguments(action, written);
  if ('fault' in read) return failedCall(`the call was not made: ${read.fault}`);
  const idempotencyKey = createIdempotencyKey(idempotencySeed, tool, read.given, position);
  const result = await callAction(action, read.given, { teamId: bot.teamId, idempotencyKey, chat, signal });
  faultPoint('answer.after_action');
  return result;
}

const toModelCall = ({ callId, tool, arguments: written }: ToolCall): ModelToolCall => ({
  callId,
  tool,
  arguments: written,
});

function describeCall(bot: LoadedBot, { tool, arguments: written }: ToolCall) {
  const action = bot.tools.get(tool);
  if (action === undefined) return { name: toStorableText(tool), arguments: {} };
  const read = readArguments(action, written);
  return { name: action.name, arguments: 'given' in read ? read.given : {} };
}

const isRepeatable = (method: ActionMethod | null): boolean => method === null || method === 'GET';

const failedCall = (error: string): ActionResult => ({ status: null, error, result: `error: ${error}` });

const interruptedCall: ActionResult = {
  status: null,
  error: 'the outcome is unknown, because the process stopped during the call',
  result: unknownOutcome,
};

/** `position` counts the earlier calls, because the model may make the same call twice. */
function createIdempotencyKey(seed: string, tool: string, given: ActionArguments, position: number): string {
  const sorted = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([seed, tool, sorted, position]))
    .digest('base64url');
}

const msSince = (start: number): number => Math.round(performance.now() - start);
