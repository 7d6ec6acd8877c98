import { createHash } from 'node:crypto';
import type {
  AnswerSource,
  AssistantProvider,
  TokenUsage,
  TurnMessage,
} from '../adapters/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../bots/bot-actions.ts';
import type { LoadedBot } from '../bots/bot-loader.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { toStorableText } from '../shared/storable-text.ts';
import type { ActionArguments } from './action-request.ts';
import type { ActionResult, CallAction } from './call-action.ts';

export interface Answer {
  /** Null when the model did not finish within the maximum number of steps. */
  text: string | null;
  answered: boolean;
  sources: readonly AnswerSource[];
  actions: readonly CalledAction[];
  usage: TokenUsage;
  elapsedMs: number;
}

interface CalledAction {
  /** The partner's name of the action, or the model's when there is no such action. */
  name: string;
  arguments: ActionArguments;
  status: number | null;
  ms: number;
  error: string | null;
}

const maxSteps = 8;

/**
 * Lets the model answer the messages and calls the actions that it requests. The model sees failures of actions. Rejects
 * with `ProviderError` or the signal's reason.
 *
 * A retry with the same `idempotencySeed` repeats the Idempotency-Key of the same action with the same arguments.
 */
export async function generateAnswer(options: {
  provider: Pick<AssistantProvider, 'step'>;
  bot: LoadedBot;
  messages: readonly TurnMessage[];
  callAction: CallAction;
  idempotencySeed: string;
  signal: AbortSignal;
  faultPoint: FaultPoint;
}): Promise<Answer> {
  const { provider, bot, callAction, idempotencySeed: occasion, signal, faultPoint } = options;
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
    const { callId, tool, arguments: given } = step;
    const callStartedAt = performance.now();
    const key = idempotencyKey(occasion, tool, given, actions.length);
    const { name, result, ...outcome } = await callTool(bot, tool, (action) =>
      callAction(action, given, { idempotencyKey: key, signal }),
    );
    faultPoint('answer.after_action');
    actions.push({ name, arguments: given, ms: msSince(callStartedAt), ...outcome });
    messages.push(
      { role: 'tool_call', callId, tool, arguments: given },
      { role: 'tool_result', callId, result },
    );
  }
  return close({ text: null, answered: false, sources: [] });
}

async function callTool(
  { tools }: LoadedBot,
  tool: string,
  call: (action: BotAction) => Promise<ActionResult>,
): Promise<ActionResult & { name: string }> {
  const action = tools.get(tool);
  if (action === undefined) {
    return {
      name: tool,
      status: null,
      error: 'there is no such action',
      result: 'error: there is no such action',
    };
  }
  return { name: action.name, ...(await call(action)) };
}

/** `position` counts the earlier calls, because the model may make the same call twice. */
function idempotencyKey(occasion: string, tool: string, given: ActionArguments, position: number): string {
  const sorted = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([occasion, tool, sorted, position]))
    .digest('base64url');
}

const msSince = (start: number): number => Math.round(performance.now() - start);
