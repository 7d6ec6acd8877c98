import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotLoader, LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { callProvider } from '../../knowledge/bots/call-provider.ts';
import { continueOperation } from '../../platform/database/connection-errors.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound, quotaExceeded } from '../../platform/http/errors.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { ModelUsage } from '../../ports/language-model/language-model.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import { costOf, type ModelPrices } from '../../tenancy/usage/model-prices.ts';
import { type Answer, generateAnswer } from './answer.ts';
import type { AskBot, BotAnswer } from './ask.schemas.ts';
import { selectBotTeam } from './bot-team.sql.ts';
import type { CallAction } from './call-action.ts';
import { getCannedReplies } from './canned-replies.ts';
import { chargeAnswer } from './charge-answer.ts';
import { detectContactLanguage } from './contact-language.ts';
import { answerCost } from './credits.ts';
import { noToolCallLog } from './tool-call-log.ts';
import { createTrace, presentTrace } from './trace.ts';

/** The part of the deadline that is left for an answer without the model. */
const composingMs = 4000;

export interface AskDependencies {
  db: Database;
  bots: BotLoader;
  provider: Pick<AssistantProvider, 'step'>;
  callAction: CallAction;
  recordModelCalls: RecordModelCalls;
  config: { readonly MODEL_PRICES: ModelPrices };
  clock: Clock;
  providerDeadlineMs: number;
}

/**
 * Answers one question as the bot would on a device, and charges the answer. Throws `bot_not_found` (404), `team_banned`,
 * `bot_not_published`, `documents_not_ready`, `quota_exceeded` (400) and `provider_unavailable` (500).
 */
export async function askBot(
  deps: AskDependencies,
  { scope }: Actor,
  botId: string,
  { question, version = 'published', history = [] }: AskBot,
): Promise<BotAnswer> {
  const { bots, clock, providerDeadlineMs } = deps;
  const readTeam = () => readBotTeam(deps, scope, botId);
  /** Reports a bot that was deleted meanwhile as not found, instead of the provider's error. */
  const rethrowUnlessDeleted = async (error: unknown): Promise<never> => {
    await readTeam();
    throw error;
  };
  const team = await readTeam();
  if (team.banned)
    throw badRequest('team_banned', 'The team is banned, so its bots do not answer; lift the ban first');
  const messages = [...history, { role: 'contact' as const, text: question }];
  const texts = messages.flatMap(({ role, text }) => (role === 'contact' ? [text] : []));
  const language = await detectContactLanguage(texts, team.locale);
  const deadline = AbortSignal.timeout(providerDeadlineMs);
  const bot =
    version === 'draft'
      ? await bots.loadDraft(scope, botId, deadline).catch(rethrowUnlessDeleted)
      : await bots.load(botId);
  if (bot === null)
    throw badRequest(
      'bot_not_published',
      'The bot has no published version; publish it, or ask with version draft',
    );
  const credits = answerCost(bot.chatModelLevel);
  if (team.creditsUsed + credits > team.creditsLimit) throw creditsExceeded(team, credits);
  const answer = await callProvider(
    providerDeadlineMs,
    (signal) =>
      generateAnswer({
        ...deps,
        bot,
        context: {
          locale: team.locale,
          language,
          timeZone: team.timeZone,
          now: clock.now(),
          // Over the API, no conversation can be handed over.
          allowHuman: false,
          deadline: performance.now() + providerDeadlineMs - composingMs,
        },
        messages,
        toolCalls: noToolCallLog,
        chat: null,
        idempotencySeed: newId(),
        signal,
      }),
    deadline,
  ).catch((error) => continueOperation(() => rethrowUnlessDeleted(error)));
  const { teamId } = team;
  const month = toMonth(clock.now());
  const charge = () =>
    chargeAnswer(deps, { teamId, purpose: 'question', month, credits, usage: answer.usage });
  if (!(await continueOperation(charge))) throw creditsExceeded(await continueOperation(readTeam), credits);
  const cost = sumCosts(answer.usage, deps.config.MODEL_PRICES);
  return present(answer, bot, {
    credits,
    cost,
    noAnswer: getCannedReplies(language ?? team.locale).noAnswer,
  });
}

async function readBotTeam({ db, clock }: AskDependencies, scope: Scope, botId: string) {
  const team = await selectBotTeam(db, scope, botId, toMonth(clock.now()));
  if (team === undefined) throw notFound('bot');
  return team;
}

const creditsExceeded = (at: { creditsUsed: number; creditsLimit: number }, needed: number) =>
  quotaExceeded('credits', { used: at.creditsUsed, limit: at.creditsLimit, needed });

function present(
  answer: Answer,
  bot: LoadedBot,
  { credits, cost, noAnswer }: { credits: number; cost: number | null; noAnswer: string },
): BotAnswer {
  const { actions, ...sources } = presentTrace(createTrace(answer, bot));
  return {
    answer: answer.text ?? noAnswer,
    answered: answer.answered,
    trace: {
      ...sources,
      // The calls are in the order of the actions.
      actions: actions.map((action, index) => ({ ...action, result: answer.calls[index]?.result ?? '' })),
      usage: {
        input_tokens: sumTokens(answer.usage, 'input'),
        output_tokens: sumTokens(answer.usage, 'output'),
        credits,
        cost,
      },
      elapsed_ms: answer.elapsedMs,
    },
  };
}

/** Null if one of the costs is unknown. */
const sumCosts = (usage: readonly StepUsage[], prices: ModelPrices): number | null =>
  usage.reduce<number | null>((sum, { model, tokens }) => {
    const cost = costOf(tokens, prices.get(model));
    return sum === null || cost === null ? null : sum + cost;
  }, 0);

/** Null if one of the numbers is unknown. */
const sumTokens = (usage: readonly StepUsage[], name: keyof ModelUsage): number | null =>
  usage.reduce<number | null>((sum, { tokens }) => {
    const count = tokens?.[name] ?? null;
    return sum === null || count === null ? null : sum + count;
  }, 0);
