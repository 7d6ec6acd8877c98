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
  /** 0 for canned replies. */
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

interface ReplyDependencies {
  provider: Pick<AssistantProvider, 'step'>;
  callAction: CallAction;
  faultPoint: FaultPoint;
}

/** Returns null if the credits do not suffice. Rejects with `ProviderError` or the signal's reason. */
export async function composeReply(
  deps: ReplyDependencies,
  { bot, context, messages }: ReplyInput,
  signal: AbortSignal,
): Promise<Reply | null> {
  const cannedReplies = getCannedReplies(context.locale);
  const receipts = messages.flatMap(({ receipt }) => receipt ?? []);
  const flag = receipts.length > 0 ? 'payment_captured' : null;
  const payments = flag === null ? {} : { payments: receipts };
  const language = bot.allowHuman ? detectLanguage(messages) : null;
  if (language !== null) {
    return {
      ...cannedReply(getCannedReplies(language).humanRequested, { line: 'human_requested', ...payments }),
      flag: 'human_requested',
      pauseMinutes: context.humanTakeoverMinutes,
    };
  }
  const questions = messages.filter(({ text, receipt }) => text.trim() !== '' && receipt === null);
  if (questions.length === 0) {
    return flag === null
      ? cannedReply(cannedReplies.textOnly, { line: 'text_only' })
      : { ...cannedReply(cannedReplies.receiptKept, { line: 'receipt_kept', ...payments }), flag };
  }
  // Stable over all attempts to answer the same messages.
  const idempotencySeed = messages[0]?.id ?? '';
  const reply = await answerQuestions(deps, { bot, context, questions, idempotencySeed }, signal);
  return reply === null ? null : { ...reply, flag, trace: { ...reply.trace, ...payments } };
}

async function answerQuestions(
  deps: ReplyDependencies,
  input: Pick<ReplyInput, 'bot' | 'context'> & {
    questions: readonly InboundContent[];
    idempotencySeed: string;
  },
  signal: AbortSignal,
): Promise<Reply | null> {
  const { bot, context, questions, idempotencySeed } = input;
  const credits = answerCost(bot.chatModelLevel);
  if (context.creditsUsed + credits > context.creditsLimit) return null;
  const answer = await generateAnswer({
    ...deps,
    bot,
    messages: [
      ...context.history.map(toTurn),
      ...questions.map(({ text }) => toTurn({ direction: 'in', text })),
    ],
    idempotencySeed,
    signal,
  });
  const { text, answered, usage, elapsedMs } = answer;
  return {
    text: text ?? getCannedReplies(context.locale).noAnswer,
    answered,
    credits,
    flag: null,
    pauseMinutes: null,
    trace: { ...createTrace(answer, bot), usage, elapsed_ms: elapsedMs },
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
