import type {
  AnswerSource,
  AssistantProvider,
  AssistantStep,
  AssistantTurn,
  TurnContext,
  TurnMessage,
} from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { ModelToolCall } from '../../ports/language-model/language-model.ts';
import type { ProviderError, StepFailure, StepUsage } from '../../ports/provider-error.ts';
import {
  type CalledAction,
  type CallOptions,
  createProgress,
  maxCalls,
  maxCallsPerStep,
  runCalls,
} from './answer-calls.ts';
import type { CallWithResult } from './conversation-context.queries.ts';
import type { LoggedStep, ToolCall } from './tool-call-log.ts';

export interface Answer {
  /** Null if the model did not finish within `maxSteps`. */
  text: string | null;
  answered: boolean;
  handsOver: boolean;
  offTopic: boolean;
  /** Whether the end of the text is missing, because the model reached its limit of tokens. */
  shortened: boolean;
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

type AnswerEnd = Pick<Answer, 'text' | 'answered' | 'sources' | 'handsOver'> &
  Partial<Pick<Answer, 'shortened' | 'offTopic'>>;

const maxSteps = 8;
/** Steps in a row that only repeat calls. After them, the model must answer. */
const maxRepeatingSteps = 2;

interface AnswerOptions extends CallOptions {
  provider: Pick<AssistantProvider, 'step'>;
  bot: LoadedBot;
  context: TurnContext;
  messages: readonly TurnMessage[];
}

/**
 * Runs the model and the actions that it requests. The model sees failures of actions. A call that was already made for this
 * answer is not made again: the model gets its result. Continues after the calls that `toolCalls` has stored. Rejects with
 * `ProviderError`, `ClaimLost` or the signal's reason.
 */
export async function generateAnswer(options: AnswerOptions): Promise<Answer> {
  const { bot, context, toolCalls } = options;
  const { assistantRef, revision, withdrawnDocumentRefs } = bot;
  const startedAt = performance.now();
  const messages = [...options.messages];
  const progress = createProgress();
  const usage: StepUsage[] = [];
  let fallback: StepFailure | null = null;
  let embeddingFailure: ProviderError['kind'] | null = null;
  let state: unknown = null;
  const close = (end: AnswerEnd): Answer => {
    const { text, answered, sources, handsOver, shortened = false, offTopic = false } = end;
    const { actions, calls } = progress;
    const elapsedMs = Math.round(performance.now() - startedAt);
    const outcome = { actions, calls, usage, fallback, embeddingFailure, elapsedMs };
    return { text, answered, sources, handsOver, shortened, offTopic, ...outcome };
  };
  for (let index = 0; index < maxSteps; index += 1) {
    const mustAnswer =
      index === maxSteps - 1 || progress.position >= maxCalls || progress.repeatingSteps >= maxRepeatingSteps;
    const turn = { assistantRef, revision, withdrawnDocumentRefs, context, messages, state, mustAnswer };
    const taken = toolCalls.earlier[index] ?? (await takeStep(options, turn, progress.position));
    const { step, calls } = taken;
    usage.push(...step.usage);
    fallback ??= step.fallback;
    embeddingFailure ??= step.embeddingFailure ?? null;
    if (step.kind === 'answer') return close({ ...step, text: toStorableText(step.text) });
    if (mustAnswer) break;
    const results = await runCalls(options, taken, progress);
    messages.push(
      {
        role: 'assistant',
        text: step.text,
        calls: [...calls.map(({ call }) => toModelCall(call)), ...taken.excess],
      },
      { role: 'tool_results', results },
    );
    state = step.state;
  }
  return close({ text: null, answered: false, sources: [], handsOver: false });
}

type TakenStep =
  | LoggedStep
  | { step: Extract<AssistantStep, { kind: 'answer' }>; calls: readonly []; excess: readonly [] };

/** Stores the calls of a step before the first one is made. `position` counts the earlier calls. */
async function takeStep(
  { provider, bot, toolCalls, signal }: AnswerOptions,
  turn: AssistantTurn,
  position: number,
): Promise<TakenStep> {
  const step = await provider.step(turn, signal);
  faultPoint('answer.after_step');
  if (step.kind === 'answer') return { step, calls: [], excess: [] };
  const allowed = turn.mustAnswer ? 0 : Math.min(maxCallsPerStep, maxCalls - position);
  const calls = step.calls
    .slice(0, allowed)
    .map((call) => ({ ...call, method: bot.tools.get(call.tool)?.method ?? null }));
  const excess = step.calls.slice(allowed);
  if (calls.length > 0) await toolCalls.add(position, step, calls);
  return { step, excess, calls: calls.map((call) => ({ call, outcome: null, mayHaveBeenSent: false })) };
}

const toModelCall = ({ callId, tool, arguments: written }: ToolCall): ModelToolCall => ({
  callId,
  tool,
  arguments: written,
});
