import { createHash } from 'node:crypto';
import type {
  AnswerSource,
  AssistantProvider,
  AssistantStep,
  TokenUsage,
  TurnMessage,
} from '../adapters/assistant-provider/assistant-provider.ts';
import type { LoadedBot } from '../bots/bot-loader.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { toStorableText } from '../shared/storable-text.ts';
import type { ActionArguments } from './action-request.ts';
import type { ActionResult, CallAction } from './call-action.ts';

export interface Answer {
  /** Null if the model did not finish within `maxSteps`. */
  text: string | null;
  answered: boolean;
  sources: readonly AnswerSource[];
  actions: readonly CalledAction[];
  usage: TokenUsage;
  elapsedMs: number;
}

interface CalledAction {
  /** The partner's name of the action. An unknown action has the model's name. */
  name: string;
  arguments: ActionArguments;
  status: number | null;
  ms: number;
  error: string | null;
}

const maxSteps = 8;

interface AnswerOptions {
  provider: Pick<AssistantProvider, 'step'>;
  bot: LoadedBot;
  messages: readonly TurnMessage[];
  callAction: CallAction;
  idempotencySeed: string;
  signal: AbortSignal;
  faultPoint: FaultPoint;
}

/**
 * Runs the model and the actions that it requests. The model sees failures of actions. A retry with the same
 * `idempotencySeed` repeats the Idempotency-Keys of equal calls. Rejects with `ProviderError` or the signal's reason.
 */
export async function generateAnswer(options: AnswerOptions): Promise<Answer> {
  const { provider, bot, signal, faultPoint } = options;
  const startedAt = performance.now();
  const messages = [...options.messages];
  const actions: CalledAction[] = [];
  const usage = { inputTokens: 0, outputTokens: 0 };
  const close = (end: Pick<Answer, 'text' | 'answered' | 'sources'>): Answer => ({
    ...end,
    actions,
    usage,
    elapsedMs: msSince(startedAt),
  });
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const step = await provider.step(
      {
        assistantRef: bot.assistantRef,
        revision: bot.revision,
        withdrawnDocumentRefs: bot.withdrawnDocumentRefs,
        messages,
      },
      signal,
    );
    faultPoint('answer.after_step');
    usage.inputTokens += step.usage.inputTokens;
    usage.outputTokens += step.usage.outputTokens;
    if (step.kind === 'answer') {
      return close({ text: toStorableText(step.text), answered: step.answered, sources: step.sources });
    }
    const { action, result } = await runToolCall(options, step, actions.length);
    faultPoint('answer.after_action');
    const { callId, tool, arguments: given } = step;
    actions.push(action);
    messages.push(
      { role: 'tool_call', callId, tool, arguments: given },
      { role: 'tool_result', callId, result },
    );
  }
  return close({ text: null, answered: false, sources: [] });
}

async function runToolCall(
  { bot, callAction, idempotencySeed, signal }: AnswerOptions,
  { tool, arguments: given }: Extract<AssistantStep, { kind: 'tool_call' }>,
  position: number,
): Promise<{ action: CalledAction; result: string }> {
  const startedAt = performance.now();
  const action = bot.tools.get(tool);
  const { result, ...outcome } =
    action === undefined
      ? unknownAction
      : await callAction(action, given, {
          idempotencyKey: createIdempotencyKey(idempotencySeed, tool, given, position),
          signal,
        });
  return {
    action: { name: action?.name ?? tool, arguments: given, ms: msSince(startedAt), ...outcome },
    result,
  };
}

const unknownAction: ActionResult = {
  status: null,
  error: 'there is no such action',
  result: 'error: there is no such action',
};

/** `position` counts the earlier calls, because the model may make the same call twice. */
function createIdempotencyKey(seed: string, tool: string, given: ActionArguments, position: number): string {
  const sorted = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([seed, tool, sorted, position]))
    .digest('base64url');
}

const msSince = (start: number): number => Math.round(performance.now() - start);
