import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotLoader, LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { currentRequest } from '../../platform/telemetry/current-request.ts';
import { describeTexts, type RecordSpan } from '../../platform/telemetry/spans.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import type { Speech } from '../../ports/speech/speech.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import { type Claim, finishClaim, lockClaim, type RestFlag } from '../conversations/claims.sql.ts';
import { ignoreUnansweredMessages } from '../conversations/unanswered-messages.ts';
import { type MediaFiles, stageBytes } from '../messages/media-files.ts';
import { selectNewestImages } from '../messages/message-media.sql.ts';
import type { IgnoredBecause } from '../messages/messages.sql.ts';
import type { ReplyPart } from '../messages/outbox.ts';
import { readMedium } from '../messages/read-medium.ts';
import { isAutomated } from './automated-contact.ts';
import type { CallAction } from './call-action.ts';
import { type ConversationContext, mayBotAnswer } from './conversation-context.queries.ts';
import { type ContentReaders, readInboundContent } from './inbound-content.ts';
import { decideReply } from './reply.ts';
import { replyParts, withNotice } from './reply-parts.ts';
import { createToolCallLog, getMessagesToAnswer } from './tool-call-log.ts';
import type { AnswerWriter, FinishedAnswer } from './write-answers.ts';

export interface AnswerDependencies extends ContentReaders {
  speech: Speech;
  loadContext(claim: Claim): Promise<ConversationContext | undefined>;
  writer: AnswerWriter;
  provider: Pick<AssistantProvider, 'step' | 'generatesText' | 'seesImages'>;
  bots: Pick<BotLoader, 'load' | 'loadDraft'>;
  mediaFiles: MediaFiles;
  callAction: CallAction;
  notifications: Pick<Notifications, 'publish'>;
  clock: Clock;
  modelDeadlineMs: number;
  /** The default of the deployment. */
  disclosure: Disclosure;
  recordSpan: RecordSpan;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Writes at most one answer to the unanswered messages of a claimed conversation, in one transaction guarded by the claim's
 * fence. Rejects without writing if the provider fails.
 */
export async function answerConversation(
  deps: AnswerDependencies,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  const context = await deps.loadContext(claim);
  const silent = context === undefined || context.banned || context.paused;
  const bot = silent ? null : await loadVersion(deps, context, signal);
  if (silent || bot === null) {
    const because = context?.banned ? 'team_banned' : context?.paused ? 'paused' : 'bot_not_published';
    return endSilently(deps, claim, because);
  }
  const unanswered = getMessagesToAnswer(context);
  if (unanswered.length === 0) return endClaim(deps, claim, null);
  if (isAutomated(context.recent)) return endSilently(deps, claim, 'automated_contact');
  const latestMs = unanswered.at(-1)?.lateMs ?? 0;
  if (latestMs > bot.answerMaxAgeMinutes * 60_000) return endSilently(deps, claim, 'too_old');
  const images = deps.provider.seesImages ? await loadImages(deps, context) : null;
  const attempt = { teamId: claim.teamId, signal, attempts: claim.attempts, images };
  const messages = await readInboundContent(deps, bot, unanswered, attempt);
  const toolCalls = createToolCallLog(deps.db, claim, unanswered, context);
  const reply = await currentRequest.run(messages.at(-1)?.id ?? claim.conversationId, () =>
    decideReply(deps, { bot, context, messages, images, toolCalls, chat: claim }, signal),
  );
  const written =
    reply !== null && (await writeReply(deps, { claim, bot, messages, reply, startedAt }, signal));
  if (!written) await endClaim(deps, claim, 'out_of_credits');
}

/** Returns the draft for a tester, or else the published version. Null: there is none. */
async function loadVersion(
  { bots, logger }: Pick<AnswerDependencies, 'bots' | 'logger'>,
  { botId, isTester }: Pick<ConversationContext, 'botId' | 'isTester'>,
  signal: AbortSignal,
): Promise<LoadedBot | null> {
  if (!isTester) return bots.load(botId);
  try {
    return await bots.loadDraft({ kind: 'all' }, botId, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    logger.warn(
      { err: error, botId },
      'a tester gets the published version, because the draft cannot answer',
    );
    return bots.load(botId);
  }
}

type Finished = Omit<FinishedAnswer, 'parts'> & { startedAt: number };

/** Returns false if concurrent answers have used the remaining credits. */
async function writeReply(
  deps: AnswerDependencies,
  finished: Finished,
  signal: AbortSignal,
): Promise<boolean> {
  const { writer, notifications } = deps;
  const { claim } = finished;
  const parts = await createParts(deps, finished, signal);
  signal.throwIfAborted();
  const writing = await writer.write({ ...finished, parts });
  if (writing.outcome === 'lost') return true;
  if (writing.outcome === 'out_of_credits') return false;
  faultPoint('answer.after_commit');
  logAnswer(deps, finished);
  notifications.publish('message-due', claim.deviceId);
  if (writing.due) notifications.publish('conversation-due', claim.conversationId);
  return true;
}

function logAnswer(
  { logger, recordSpan }: Pick<AnswerDependencies, 'logger' | 'recordSpan'>,
  { claim, bot, messages, reply, startedAt }: Finished,
): void {
  const { conversationId, teamId, deviceId } = claim;
  const messageIds = messages.map(({ id }) => id);
  const { answered, credits } = reply;
  const { botId, version } = bot;
  logger.info(
    {
      reqId: messageIds.at(-1),
      conversationId,
      teamId,
      deviceId,
      messageIds,
      botId,
      version,
      answered,
      credits,
    },
    'answered a conversation',
  );
  recordSpan({
    name: 'answer conversation',
    requestId: messageIds.at(-1) ?? conversationId,
    root: { caller: null, isParent: true },
    kind: 'consumer',
    startedAt,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': botId,
      'gen_ai.agent.name': bot.name,
      'gen_ai.conversation.id': conversationId,
      'parley.conversation_id': conversationId,
      'parley.team_id': teamId,
      'parley.device_id': deviceId,
      'parley.bot_id': botId,
      'parley.attempts': claim.attempts,
      'parley.answered': answered,
    },
    texts: () =>
      describeTexts(
        messages.map(({ text }) => text),
        reply.text,
      ),
  });
}

async function createParts(
  {
    speech: { synthesize },
    mediaFiles,
    logger,
  }: Pick<AnswerDependencies, 'speech' | 'mediaFiles' | 'logger'>,
  { claim, bot: { breakLines, useAudioResponses }, reply: { text, credits, notice } }: Finished,
  signal: AbortSignal,
): Promise<ReplyPart[]> {
  const texts = withNotice(replyParts(text, breakLines), notice);
  if (synthesize === null || !useAudioResponses || credits === 0)
    return texts.map((part) => ({ text: part }));
  try {
    return await Promise.all(
      texts.map(async (part) => {
        const spoken = await synthesize(part, signal);
        return { text: part, spoken: await stageBytes(mediaFiles, claim.teamId, spoken) };
      }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const { conversationId, teamId, deviceId } = claim;
    logger.warn(
      { err: error, conversationId, teamId, deviceId },
      'failed to synthesize speech; sending the answer as text',
    );
    return texts.map((part) => ({ text: part }));
  }
}

/**
 * Ends the claim if the bot may not answer: it has no version or device, its team is banned, a person has taken over, the contact
 * is a machine, or the question is too old. Checks this again under the lock, except for the last two.
 */
async function endSilently(
  { db, notifications }: AnswerDependencies,
  claim: Claim,
  because: IgnoredBecause,
): Promise<void> {
  const due = await db.transaction().execute(async (tx) => {
    if (!(await lockClaim(tx, claim))) return false;
    const isDecided = because === 'automated_contact' || because === 'too_old';
    const ownFlag = because === 'automated_contact' || because === 'bot_not_published' ? because : null;
    const flag = because === 'too_old' ? 'unanswered' : ownFlag;
    const staysIdle = isDecided || !(await mayBotAnswer(tx, claim));
    const finished = await finishClaim(tx, claim, {
      flag: staysIdle ? flag : null,
      flagReason: null,
      pauseMinutes: null,
      staysIdle,
    });
    // After `finishClaim`, which needs the fence that this increments.
    if (staysIdle) await ignoreUnansweredMessages(tx, claim, because);
    return finished.due;
  });
  if (due) notifications.publish('conversation-due', claim.conversationId);
}

/** Ends the claim without an answer. With a flag, the messages wait for a job, or until the contact writes again. */
export async function endClaim(
  { db, notifications }: Pick<AnswerDependencies, 'db' | 'notifications'>,
  claim: Claim,
  flag: RestFlag | null,
  flagReason: string | null = null,
): Promise<void> {
  const due = await db.transaction().execute(async (tx) => {
    if (!(await lockClaim(tx, claim))) return false;
    const end = { flag, flagReason, pauseMinutes: null, staysIdle: flag !== null };
    return (await finishClaim(tx, claim, end)).due;
  });
  if (due) notifications.publish('conversation-due', claim.conversationId);
}

/** Limits that every provider accepts in one request, so that none refuses a conversation because of its images. */
const limits = { maxImages: 4, maxImageBytes: 3_500_000, maxTotalBytes: 8_000_000 };
const readableTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns the newest images of the contact that a model can read, by message id. */
async function loadImages(
  { db, fileStore }: { db: Database; fileStore: Pick<FileStore, 'get'> },
  { history, unanswered }: Pick<ConversationContext, 'history' | 'unanswered'>,
): Promise<ReadonlyMap<string, ModelImage>> {
  const sent = history.filter(({ direction }) => direction === 'in');
  const ids = [...sent, ...unanswered]
    .filter(({ kind, withdrawn }) => kind === 'image' && withdrawn !== 'deleted')
    .map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const images = new Map<string, ModelImage>();
  for (const { messageId, ...stored } of await selectNewestImages(db, ids, limits)) {
    const bytes = await readMedium(fileStore, stored);
    if (bytes === null) continue;
    const { fileTypeFromBuffer } = await import('file-type');
    const mimeType = (await fileTypeFromBuffer(bytes))?.mime;
    if (mimeType !== undefined && readableTypes.has(mimeType)) images.set(messageId, { mimeType, bytes });
  }
  return images;
}
