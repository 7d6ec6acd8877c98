import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { BotLoader } from '../bots/bot-loader.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { ignoreUnansweredMessages } from '../conversations/unanswered-messages.ts';
import type { Notifications } from '../database/notifications.ts';
import type { ReplyPart } from '../messages/outbox.ts';
import type { Clock } from '../shared/clock.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import type { CallAction } from './call-action.ts';
import { finishClaim, lockClaim } from './completion.queries.ts';
import { type ConversationContext, mayBotAnswer } from './conversation-context.queries.ts';
import { type ContentReaders, readInboundContent } from './inbound-content.ts';
import { composeReply } from './reply.ts';
import { replyParts } from './reply-parts.ts';
import { flagAfterAttempts } from './retry.ts';
import type { AnswerWriter, FinishedAnswer } from './write-answers.ts';

export interface AnswerDependencies extends ContentReaders {
  /** As it is now. Undefined when the device is gone. */
  situationOf(claim: Claim): Promise<ConversationContext | undefined>;
  writer: AnswerWriter;
  provider: Pick<AssistantProvider, 'step'>;
  bots: Pick<BotLoader, 'load'>;
  callAction: CallAction;
  notifications: Pick<Notifications, 'publish'>;
  clock: Clock;
  faultPoint: FaultPoint;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Answers what waits in a claimed conversation: at most one answer, written in one transaction that the claim's fence
 * guards. Rejects when the provider failed; nothing is written then.
 */
export async function answerConversation(
  deps: AnswerDependencies,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { bots } = deps;
  const situation = await deps.situationOf(claim);
  const silent = situation === undefined || situation.banned || situation.paused;
  const bot = silent ? null : await bots.load(situation.botId);
  if (silent || bot === null) return leaveToOthers(deps, claim);
  const { unanswered } = situation;
  if (unanswered.length === 0) return endClaim(deps, claim, null);
  // What is still not read then leaves the contact no longer without an answer.
  const waitsForReaders = claim.attempts < flagAfterAttempts;
  const heard = await readInboundContent(deps, bot, unanswered, { signal, waitsForReaders });
  const reply = await composeReply(deps, { bot, situation, heard }, signal);
  const written = reply !== null && (await write(deps, { claim, bot, heard, reply }, signal));
  if (!written) await endClaim(deps, claim, 'out_of_credits');
}

type Finished = Omit<FinishedAnswer, 'parts'>;

/** False when the credits were used up meanwhile. */
async function write(deps: AnswerDependencies, finished: Finished, signal: AbortSignal): Promise<boolean> {
  const { writer, notifications } = deps;
  const { claim } = finished;
  const parts = await partsOf(deps, finished, signal);
  signal.throwIfAborted();
  const writing = await writer.write({ ...finished, parts });
  if (writing.outcome === 'lost') return true;
  if (writing.outcome === 'out_of_credits') return false;
  deps.faultPoint('answer.after_commit');
  logAnswer(deps.logger, finished);
  notifications.publish('message-due', claim.deviceId);
  if (writing.due) notifications.publish('conversation-due', claim.conversationId);
  return true;
}

function logAnswer(logger: Pick<Logger, 'info'>, { claim, bot, heard, reply }: Finished): void {
  const { conversationId, teamId, deviceId } = claim;
  const messageIds = heard.map(({ id }) => id);
  const { answered, credits } = reply;
  const { botId, version } = bot;
  logger.info(
    { conversationId, teamId, deviceId, messageIds, botId, version, answered, credits },
    'a conversation was answered',
  );
}

/** A bot that speaks says what the model answers; what cannot be spoken is written. */
async function partsOf(
  { speech, logger }: Pick<AnswerDependencies, 'speech' | 'logger'>,
  { claim, bot: { breakLines, useAudioResponses }, reply: { text, credits } }: Finished,
  signal: AbortSignal,
): Promise<ReplyPart[]> {
  const texts = replyParts(text, breakLines);
  if (speech === null || !useAudioResponses || credits === 0) return texts.map((part) => ({ text: part }));
  try {
    return await Promise.all(
      texts.map(async (part) => ({ text: part, spoken: await speech.synthesize(part, signal) })),
    );
  } catch (error) {
    signal.throwIfAborted();
    const { conversationId, teamId, deviceId } = claim;
    logger.warn({ err: error, conversationId, teamId, deviceId }, 'an answer could not be spoken');
    return texts.map((part) => ({ text: part }));
  }
}

/**
 * The bot had nothing to say here: no bot, no device, banned, or a person has taken over. Unless it is so no longer: what
 * came since then waits for an answer.
 */
async function leaveToOthers({ db, notifications }: AnswerDependencies, claim: Claim): Promise<void> {
  const due = await db.transaction().execute(async (tx) => {
    if (!(await lockClaim(tx, claim))) return false;
    // Nothing comes in between this look and the end of the transaction.
    const rests = !(await mayBotAnswer(tx, claim));
    const finished = await finishClaim(tx, claim, { flag: null, pauseMinutes: null, rests });
    // Not before the claim's end, which needs its fence.
    if (rests) await ignoreUnansweredMessages(tx, claim);
    return finished.due;
  });
  if (due) notifications.publish('conversation-due', claim.conversationId);
}

/** Ends without an answer. With a flag the messages go on waiting, for the contact's next one. */
export async function endClaim(
  { db, notifications }: Pick<AnswerDependencies, 'db' | 'notifications'>,
  claim: Claim,
  flag: 'out_of_credits' | 'provider_failed' | null,
): Promise<void> {
  const due = await db.transaction().execute(async (tx) => {
    if (!(await lockClaim(tx, claim))) return false;
    return (await finishClaim(tx, claim, { flag, pauseMinutes: null, rests: flag !== null })).due;
  });
  if (due) notifications.publish('conversation-due', claim.conversationId);
}
