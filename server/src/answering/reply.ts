import type { AssistantProvider, TurnMessage } from '../adapters/assistant-provider/assistant-provider.ts';
import type { PublishedBot } from '../bots/bot-loader.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { generateAnswer } from './answer.ts';
import type { CallAction } from './call-action.ts';
import { getCannedReplies } from './canned-replies.ts';
import type { ConversationContext, HistoryMessage } from './conversation-context.queries.ts';
import { answerCost } from './credits.ts';
import { detectHumanRequest } from './human-request.ts';
import type { InboundContent } from './inbound-content.ts';
import { createTrace } from './trace.ts';

export interface Reply {
  text: string;
  answered: boolean;
  /** Over 0 only for answers of the model. */
  credits: number;
  flag: 'human_requested' | 'payment_captured' | null;
  pauseMinutes: number | null;
  trace: object;
}

interface ReplyInput {
  bot: PublishedBot;
  context: Pick<
    ConversationContext,
    'locale' | 'humanTakeoverMinutes' | 'creditsUsed' | 'creditsLimit' | 'history'
  >;
  /** The unanswered messages in order, at least one. */
  messages: readonly InboundContent[];
}

/** Returns null when the credits do not suffice. Rejects with `ProviderError` or the signal's reason. */
export async function composeReply(
  deps: { provider: Pick<AssistantProvider, 'step'>; callAction: CallAction; faultPoint: FaultPoint },
  { bot, context, messages }: ReplyInput,
  signal: AbortSignal,
): Promise<Reply | null> {
  const cannedReplies = getCannedReplies(context.locale);
  const receipts = messages.flatMap(({ receipt }) => receipt ?? []);
  const flag = receipts.length > 0 ? 'payment_captured' : null;
  const kept = flag === null ? {} : { payments: receipts };
  const language = bot.allowHuman ? detectLanguage(messages) : null;
  if (language !== null) {
    return {
      ...cannedReply(getCannedReplies(language).humanRequested, { line: 'human_requested', ...kept }),
      flag: 'human_requested',
      pauseMinutes: context.humanTakeoverMinutes,
    };
  }
  const questions = messages.filter(({ text, receipt }) => text.trim() !== '' && receipt === null);
  if (questions.length === 0) {
    return flag === null
      ? cannedReply(cannedReplies.textOnly, { line: 'text_only' })
      : { ...cannedReply(cannedReplies.receiptKept, { line: 'receipt_kept', ...kept }), flag };
  }
  const credits = answerCost(bot.chatModelLevel);
  if (context.creditsUsed + credits > context.creditsLimit) return null;
  const answer = await generateAnswer({
    ...deps,
    bot,
    messages: [
      ...context.history.map(toTurn),
      ...questions.map(({ text }) => toTurn({ direction: 'in', text })),
    ],
    // Stable over all attempts to answer the same messages.
    idempotencySeed: messages[0]?.id ?? '',
    signal,
  });
  const { usage, elapsedMs } = answer;
  return {
    text: answer.text ?? cannedReplies.noAnswer,
    answered: answer.answered,
    credits,
    flag,
    pauseMinutes: null,
    trace: { ...createTrace(answer, bot), usage, elapsed_ms: elapsedMs, ...kept },
  };
}

const cannedReply = (text: string, trace: object): Reply => ({
  text,
  answered: true,
  credits: 0,
  flag: null,
  pauseMinutes: null,
  trace,
});

function detectLanguage(messages: readonly InboundContent[]) {
  for (const { text } of messages) {
    const language = detectHumanRequest(text);
    if (language !== null) return language;
  }
  return null;
}

const toTurn = ({ direction, text }: HistoryMessage): TurnMessage => ({
  role: direction === 'in' ? 'contact' : 'assistant',
  text,
});
