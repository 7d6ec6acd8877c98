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

/** What a bot says to the messages that wait, and what else follows from them. */
export interface Reply {
  text: string;
  /** False when the bot does not know. */
  answered: boolean;
  /** Made by the model, hence charged, and spoken where the bot speaks. */
  credits: number;
  flag: 'human_requested' | 'payment_captured' | null;
  /** How long the bot then leaves the conversation to a person. */
  pauseMinutes: number | null;
  trace: object;
}

interface Occasion {
  bot: PublishedBot;
  situation: Pick<
    ConversationContext,
    'locale' | 'humanTakeoverMinutes' | 'creditsUsed' | 'creditsLimit' | 'history'
  >;
  /** Those that wait, in their order; at least one. */
  heard: readonly InboundContent[];
}

/** Null when the credits that it would cost are used up. Rejects with `ProviderError`, or with the signal's reason. */
export async function composeReply(
  deps: { provider: Pick<AssistantProvider, 'step'>; callAction: CallAction; faultPoint: FaultPoint },
  { bot, situation, heard }: Occasion,
  signal: AbortSignal,
): Promise<Reply | null> {
  const lines = getCannedReplies(situation.locale);
  const receipts = heard.flatMap(({ receipt }) => receipt ?? []);
  const flag = receipts.length > 0 ? 'payment_captured' : null;
  const kept = flag === null ? {} : { payments: receipts };
  const language = bot.allowHuman ? requestedLanguage(heard) : null;
  if (language !== null) {
    return {
      ...ownWords(getCannedReplies(language).humanRequested, { line: 'human_requested', ...kept }),
      flag: 'human_requested',
      pauseMinutes: situation.humanTakeoverMinutes,
    };
  }
  const questions = heard.filter(({ text, receipt }) => text.trim() !== '' && receipt === null);
  if (questions.length === 0) {
    return flag === null
      ? ownWords(lines.textOnly, { line: 'text_only' })
      : { ...ownWords(lines.receiptKept, { line: 'receipt_kept', ...kept }), flag };
  }
  const credits = answerCost(bot.chatModelLevel);
  if (situation.creditsUsed + credits > situation.creditsLimit) return null;
  const answer = await generateAnswer({
    ...deps,
    bot,
    messages: [
      ...situation.history.map(asTurn),
      ...questions.map(({ text }) => asTurn({ direction: 'in', text })),
    ],
    // Stable over the attempts to answer the same messages, whoever makes them.
    idempotencySeed: heard[0]?.id ?? '',
    signal,
  });
  const { usage, elapsedMs } = answer;
  return {
    text: answer.text ?? lines.noAnswer,
    answered: answer.answered,
    credits,
    flag,
    pauseMinutes: null,
    trace: { ...createTrace(answer, bot), usage, elapsed_ms: elapsedMs, ...kept },
  };
}

const ownWords = (text: string, trace: object): Reply => ({
  text,
  answered: true,
  credits: 0,
  flag: null,
  pauseMinutes: null,
  trace,
});

function requestedLanguage(heard: readonly InboundContent[]) {
  for (const { text } of heard) {
    const language = detectHumanRequest(text);
    if (language !== null) return language;
  }
  return null;
}

const asTurn = ({ direction, text }: HistoryMessage): TurnMessage => ({
  role: direction === 'in' ? 'contact' : 'assistant',
  text,
});
