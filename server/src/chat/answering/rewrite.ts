import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotLoader } from '../../knowledge/bots/bot-loader.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import type { Rewrite } from '../messages/prepare-message.ts';
import { selectBotTeam } from './bot-team.sql.ts';
import { chargeAnswer } from './charge-answer.ts';
import { detectContactLanguage } from './contact-language.ts';
import { selectHistory, selectNoticeState } from './conversation-context.queries.ts';
import { toTurnMessages } from './history.ts';
import { findNotice } from './notice.ts';

const creditCost = 1;
/** The request ends after 25 s. */
const modelDeadlineMs = 15_000;

/**
 * Returns a function that rewrites a text as the bot would say it in the conversation, for one credit. The text begins with the
 * notice unless an answer to the contact carried it. Returns null if the provider generates no text.
 */
export function createRewrite(deps: {
  db: Database;
  provider: Pick<AssistantProvider, 'generatesText' | 'rewrite'>;
  bots: Pick<BotLoader, 'load'>;
  recordModelCalls: RecordModelCalls;
  clock: Clock;
  /** The default of the deployment. */
  disclosure: Disclosure;
}): Rewrite | null {
  const { db, provider, bots, clock } = deps;
  if (!provider.generatesText) return null;
  return async ({ teamId, botId, deviceId, contactNumber, text }, signal) => {
    const bot = await bots.load(botId);
    if (bot === null) return null;
    const month = toMonth(clock.now());
    const team = await selectBotTeam(db, { kind: 'all' }, botId, month);
    if (team === undefined || team.creditsUsed + creditCost > team.creditsLimit) return null;
    const { locale, timeZone } = team;
    const history = await selectHistory(db, { deviceId, contactNumber });
    const { text: rewritten, usage } = await provider.rewrite(
      {
        assistantRef: bot.assistantRef,
        revision: bot.revision,
        withdrawnDocumentRefs: bot.withdrawnDocumentRefs,
        context: {
          locale,
          language: null,
          timeZone,
          now: clock.now(),
          allowHuman: false,
          deadline: performance.now() + modelDeadlineMs,
        },
        messages: toTurnMessages(history),
        text,
      },
      signal,
    );
    const charge = { teamId, purpose: 'rewrite' as const, month, credits: creditCost, usage };
    if (!(await chargeAnswer(deps, charge)) || rewritten === null) return null;
    const known = await selectNoticeState(db, { deviceId, contactNumber });
    const texts = history.filter(({ direction }) => direction === 'in').map(({ text: written }) => written);
    const language = (await detectContactLanguage(texts, locale)) ?? locale;
    const disclosure = bot.disclosure ?? team.disclosure;
    const notice = findNotice({ ...known, ...team, disclosure }, { byDefault: deps.disclosure, language });
    return notice === null ? rewritten : `${notice}\n\n${rewritten}`;
  };
}
