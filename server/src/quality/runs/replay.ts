import type { BotTeam } from '../../chat/answering/bot-team.sql.ts';
import type { CallAction } from '../../chat/answering/call-action.ts';
import { detectContactLanguage } from '../../chat/answering/contact-language.ts';
import type { HistoryMessage } from '../../chat/answering/conversation-context.queries.ts';
import { decideReply } from '../../chat/answering/reply.ts';
import { noToolCallLog } from '../../chat/answering/tool-call-log.ts';
import type { AnswerTrace } from '../../chat/answering/trace.ts';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { isAskingBack } from '../../knowledge/assistant-provider/embedded/offered-questions.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import { costOfCalls, type ModelPrices } from '../../tenancy/usage/model-prices.ts';
import type { Observed } from '../cases/checks.ts';
import { identifyCall, type Recordings } from './recordings.ts';

export interface ReplayDependencies {
  provider: Pick<AssistantProvider, 'step' | 'generatesText'>;
  clock: Clock;
  prices: ModelPrices;
  modelDeadlineMs: number;
}

export interface Replayed extends Observed {
  usage: readonly StepUsage[];
}

type Said = readonly { role: 'contact' | 'assistant'; text: string }[];

/** Includes the time until the pairs of the bot are encoded. */
const longestMs = 120_000;

/**
 * Answers the last messages of the contact as the bot would on a device, but sends and charges nothing. Calls of actions are answered from
 * recordings; one without a recording is not made. Rejects with `ProviderError` or the signal's reason.
 */
export async function replay(
  { provider, clock, prices, modelDeadlineMs }: ReplayDependencies,
  {
    bot,
    team,
    recordings,
    messages,
  }: { bot: LoadedBot; team: BotTeam; recordings: Recordings; messages: Said },
  signal: AbortSignal,
): Promise<Replayed> {
  const calls: Observed['calls'][number][] = [];
  const callAction: CallAction = async (action, given) => {
    const recorded = recordings.get(identifyCall(action.name, given));
    calls.push({ name: action.name, arguments: given, recorded: recorded !== undefined });
    return recorded === undefined
      ? { status: null, error: 'no such call is recorded', result: 'error: no such call is recorded' }
      : { status: null, error: null, result: recorded };
  };
  const first = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const now = clock.now().getTime();
  const startedAt = performance.now();
  const reply = await withDeadline(
    longestMs,
    (deadline) =>
      decideReply(
        { provider, callAction, clock, disclosure: { mode: 'off' }, modelDeadlineMs },
        {
          bot,
          context: {
            ...team,
            // Neither a limit nor the notice is what a case is about, nor when it is run.
            openingHours: null,
            creditsUsed: 0,
            creditsLimit: Number.MAX_SAFE_INTEGER,
            noticed: true,
            silentMs: 0,
            humanTakeoverMinutes: 0,
            previous: null,
            overdueMs: 0,
            optedIn: false,
            history: messages.slice(0, first).map(toHistory),
          },
          messages: messages.slice(first).map(({ text }) => ({
            id: newId(),
            text,
            sentMs: now,
            unreadable: null,
            receipt: null,
            withdrawn: null,
            quoted: null,
          })),
          images: null,
          toolCalls: noToolCallLog,
          chat: null,
        },
        deadline,
      ),
    signal,
  );
  const ms = Math.round(performance.now() - startedAt);
  if (reply === null) throw new Error('a reply without a limit of credits was refused for lack of them');
  const { text, answered, flag, usage } = reply;
  // `decideReply` returns the trace of an answer, or that of a canned reply.
  const { pair = null, passages = [] } = reply.trace as Partial<AnswerTrace>;
  return {
    text,
    answered,
    calls,
    ms,
    usage,
    handsOver: flag === 'human_requested',
    asksBack: isAskingBack(text),
    language: text === '' ? null : await detectContactLanguage([text], ''),
    pairs: pair === null ? [] : [pair.question],
    documentIds: [...new Set(passages.flatMap(({ document_id: id }) => id ?? []))],
    cost: costOfCalls(usage, prices),
  };
}

const toHistory = ({ role, text }: Said[number]): HistoryMessage => ({
  id: newId(),
  kind: 'text',
  text,
  withdrawn: null,
  quoted: null,
  answerId: null,
  calls: null,
  direction: role === 'contact' ? 'in' : 'out',
});
