import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import { readConsentWord } from '../consents/consent-words.ts';
import { isOpen } from '../hours/opening.ts';
import type { Chat } from './action-signature.ts';
import { generateAnswer } from './answer.ts';
import { type AnswerCount, countAnswer } from './answer-count.ts';
import type { CallAction } from './call-action.ts';
import { type CannedReplies, getCannedReplies, type ReplyLanguage } from './canned-replies.ts';
import { detectContactLanguage } from './contact-language.ts';
import type { ConversationContext, PreviousAnswer } from './conversation-context.queries.ts';
import { answerCost } from './credits.ts';
import { toContactMessage, toTurnMessages } from './history.ts';
import { detectHumanRequest } from './human-request.ts';
import type { InboundContent } from './inbound-content.ts';
import { findNotice, type NoticeContext } from './notice.ts';
import type { ToolCallLog } from './tool-call-log.ts';
import { createTrace, keepCalls } from './trace.ts';

interface DecidedReply {
  /** Empty for no message. */
  text: string;
  answered: boolean;
  /** 0 for canned replies. */
  credits: number;
  flag: 'human_requested' | 'payment_captured' | null;
  pauseMinutes: number | null;
  trace: object;
  usage: readonly StepUsage[];
  /** Says that a machine answers, in the same message. Null if the contact knows. */
  notice: string | null;
}

export interface Reply extends DecidedReply {
  count: AnswerCount | null;
}

interface ReplyInput {
  bot: LoadedBot;
  context: Pick<
    ConversationContext,
    | 'locale'
    | 'timeZone'
    | 'humanTakeoverMinutes'
    | 'openingHours'
    | 'creditsUsed'
    | 'creditsLimit'
    | 'previous'
    | 'history'
    | 'overdueMs'
    | 'optedIn'
    | keyof NoticeContext
  >;
  /** The unanswered messages in order, at least one. */
  messages: readonly InboundContent[];
  /** The newest images of the conversation, by message id. Null if the model sees none. */
  images: ReadonlyMap<string, ModelImage> | null;
  toolCalls: ToolCallLog;
  /** Null in a replay. */
  chat: Chat | null;
}

interface ReplyDependencies {
  provider: Pick<AssistantProvider, 'step' | 'generatesText'>;
  callAction: CallAction;
  clock: Clock;
  /** The default of the deployment. */
  disclosure: Disclosure;
  /** Time of the model for an answer. After that, the embedded composer answers, if the operator allows it. */
  modelDeadlineMs: number;
}

/**
 * Confirms what the contact decided about active messages, and answers the rest. Returns null if the team has too few credits left.
 * Rejects with `ProviderError` or the signal's reason.
 */
export async function decideReply(
  deps: ReplyDependencies,
  input: ReplyInput,
  signal: AbortSignal,
): Promise<Reply | null> {
  const { context, messages } = input;
  const language = await detectContactLanguage(readTexts(context, messages), context.locale);
  const reply = await confirmAndAnswer(deps, input, language, signal);
  const { timeZone } = context;
  const { draftRevision } = input.bot;
  if (reply !== null && draftRevision !== undefined)
    return { ...reply, trace: { ...reply.trace, draft_revision: draftRevision }, count: null };
  return reply && { ...reply, count: countAnswer(reply, { language, now: deps.clock.now(), timeZone }) };
}

async function confirmAndAnswer(
  deps: ReplyDependencies,
  input: ReplyInput,
  language: ReplyLanguage | null,
  signal: AbortSignal,
): Promise<DecidedReply | null> {
  const { context, messages } = input;
  const cannedReplies = getCannedReplies(language ?? context.locale);
  const decisions = messages.map(({ text }) => readConsentWord(text));
  const isDecision = (index: number) =>
    decisions[index] === 'out' || (decisions[index] === 'in' && context.optedIn);
  const rest = messages.filter((_, index) => !isDecision(index));
  const decided = decisions.findLast((_, index) => isDecision(index));
  const answer = async (asked: readonly InboundContent[]): Promise<DecidedReply | null> => {
    const reply = await replyTo(deps, { ...input, messages: asked }, { language, cannedReplies }, signal);
    if (reply === null || reply.text === '') return reply;
    const { disclosure: byDefault } = deps;
    const given = { byDefault, language: language ?? context.locale };
    const disclosure = input.bot.disclosure ?? context.disclosure;
    return { ...reply, notice: findNotice({ ...context, disclosure }, given) };
  };
  if (decided === undefined || decided === null) return answer(messages);
  const text = decided === 'out' ? cannedReplies.optedOut : cannedReplies.optedIn;
  const line = decided === 'out' ? 'opted_out' : 'opted_in';
  if (rest.length === 0) return cannedReply(text, { line });
  const reply = await answer(rest);
  return reply && { ...reply, text: [text, reply.text].filter((part) => part !== '').join('\n\n') };
}

async function replyTo(
  deps: ReplyDependencies,
  { bot, context, messages, images, toolCalls, chat }: ReplyInput,
  { language, cannedReplies }: { language: ReplyLanguage | null; cannedReplies: CannedReplies },
  signal: AbortSignal,
): Promise<DecidedReply | null> {
  const receipts = messages.flatMap(({ receipt }) => receipt ?? []);
  const flag = receipts.length > 0 ? 'payment_captured' : null;
  const payments = flag === null ? {} : { payments: receipts };
  const requestLanguage = findHumanRequest(messages, language);
  const { openingHours } = context;
  const closed = isOpen(openingHours, deps.clock.now(), context.timeZone)
    ? null
    : (openingHours?.text ?? null);
  const humanRequested = {
    ...cannedReply(closed ?? getCannedReplies(requestLanguage ?? context.locale).humanRequested, {
      line: 'human_requested',
      ...(closed !== null && { closed: true }),
      ...payments,
    }),
    flag: 'human_requested' as const,
  };
  // Whatever the bot's instructions or the model say.
  if (requestLanguage !== null && bot.allowHuman)
    return { ...humanRequested, pauseMinutes: context.humanTakeoverMinutes };
  const questions = messages.filter(({ unreadable, receipt }) => unreadable === null && receipt === null);
  if (questions.length === 0) {
    return flag === null
      ? replyToUnreadable(cannedReplies, messages, context.previous)
      : { ...cannedReply(cannedReplies.receiptKept, { line: 'receipt_kept', ...payments }), flag };
  }
  // Stable over all attempts to answer the same messages.
  const idempotencySeed = messages[0]?.id ?? '';
  const reply = await answerQuestions(
    deps,
    { bot, context, language, questions, images, toolCalls, chat, idempotencySeed },
    signal,
  );
  if (reply === null) return null;
  if (requestLanguage !== null && !reply.answered) return { ...humanRequested, usage: reply.usage };
  if (requestLanguage !== null || reply.flag === 'human_requested')
    return withClosed({ ...reply, flag: 'human_requested', trace: { ...reply.trace, ...payments } }, closed);
  return { ...reply, flag: reply.flag ?? flag, trace: { ...reply.trace, ...payments } };
}

/** Adds what a contact who wants a person hears while the team is closed. */
const withClosed = (reply: DecidedReply, closed: string | null): DecidedReply =>
  closed === null
    ? reply
    : { ...reply, text: `${reply.text}\n\n${closed}`, trace: { ...reply.trace, closed: true } };

/** The part of the model's time that is left although the answer had to wait for a worker. */
const leastModelShare = 1 / 3;

/** A contact also waits while all workers are busy, for example because the model does not respond. */
const getModelMs = (ms: number, { overdueMs }: Pick<ConversationContext, 'overdueMs'>): number =>
  Math.max(ms - overdueMs, ms * leastModelShare);

async function answerQuestions(
  deps: ReplyDependencies,
  input: Pick<ReplyInput, 'bot' | 'context' | 'images' | 'toolCalls' | 'chat'> & {
    language: ReplyLanguage | null;
    questions: readonly InboundContent[];
    idempotencySeed: string;
  },
  signal: AbortSignal,
): Promise<DecidedReply | null> {
  const { bot, context, language, questions, images, toolCalls, chat, idempotencySeed } = input;
  const credits = answerCost(bot.chatModelLevel);
  if (context.creditsUsed + credits > context.creditsLimit) return null;
  const answer = await generateAnswer({
    ...deps,
    bot,
    context: {
      locale: context.locale,
      language,
      timeZone: context.timeZone,
      now: deps.clock.now(),
      allowHuman: bot.allowHuman,
      deadline: performance.now() + getModelMs(deps.modelDeadlineMs, context),
      isReplay: chat === null,
    },
    messages: [
      ...toTurnMessages(context.history, images),
      ...questions.map(({ image, ...question }) => toContactMessage({ image, ...question })),
    ],
    toolCalls,
    chat,
    idempotencySeed,
    signal,
  });
  const { text, answered, handsOver, usage, fallback, embeddingFailure, elapsedMs } = answer;
  return {
    text: text ?? getCannedReplies(language ?? context.locale).noAnswer,
    answered,
    credits,
    flag: handsOver ? 'human_requested' : null,
    pauseMinutes: handsOver ? context.humanTakeoverMinutes : null,
    trace: {
      ...createTrace(answer, bot),
      ...keepCalls(answer),
      usage,
      ...(fallback === null ? {} : { fallback }),
      ...(embeddingFailure === null ? {} : { embedding_failure: embeddingFailure }),
      elapsed_ms: elapsedMs,
    },
    usage,
    notice: null,
  };
}

/** Returns what the contact wrote, oldest first. */
const readTexts = (
  { history }: Pick<ConversationContext, 'history'>,
  messages: readonly InboundContent[],
): string[] =>
  [...history.filter(({ direction }) => direction === 'in'), ...messages].map(({ text }) => text);

const cannedReply = (text: string, trace: object): DecidedReply => ({
  text,
  answered: true,
  credits: 0,
  flag: null,
  pauseMinutes: null,
  trace,
  usage: [],
  notice: null,
});

/** Contacts send several stickers or images one after the other, or one beside a question. */
const togetherMs = 5000;
const repeatedWithinMs = 60_000;

/** Asks for text, unless the contact was just asked, or just got an answer to a message sent together with these. */
function replyToUnreadable(
  cannedReplies: CannedReplies,
  messages: readonly InboundContent[],
  previous: PreviousAnswer | null,
): DecidedReply {
  const isNotUnderstood = messages.some(({ unreadable }) => unreadable?.reply === 'notUnderstood');
  const line = isNotUnderstood ? 'not_understood' : 'text_only';
  const isAnswered =
    previous !== null &&
    ((asksForText.has(previous.line) && previous.agoMs < repeatedWithinMs) ||
      messages.every(({ sentMs }) => Math.abs(sentMs - previous.sentMs) < togetherMs));
  if (isAnswered) return cannedReply('', { line, repeated: true });
  return cannedReply(isNotUnderstood ? cannedReplies.notUnderstood : cannedReplies.textOnly, { line });
}

const asksForText: ReadonlySet<string | null> = new Set(['not_understood', 'text_only']);

function findHumanRequest(
  messages: readonly InboundContent[],
  preferred: ReplyLanguage | null,
): ReplyLanguage | null {
  for (const { text } of messages) {
    const language = detectHumanRequest(text, preferred);
    if (language !== null) return language;
  }
  return null;
}
