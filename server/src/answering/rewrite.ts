import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { BotLoader } from '../bots/bot-loader.ts';
import type { Database } from '../database/database.ts';
import type { Rewrite } from '../messages/prepare-message.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import { chargeCredits } from '../usage/usage.sql.ts';
import { selectHistory } from './conversation-context.queries.ts';

const creditCost = 1;

/**
 * Returns a function that rewrites a text as the bot would say it in the conversation, for one credit. Returns null if the
 * provider generates no text.
 */
export function createRewrite(deps: {
  db: Database;
  provider: Pick<AssistantProvider, 'generates' | 'step'>;
  bots: Pick<BotLoader, 'load'>;
  clock: Clock;
}): Rewrite | null {
  const { db, provider, bots, clock } = deps;
  if (!provider.generates) return null;
  return async ({ teamId, botId, deviceId, contactNumber, text }, signal) => {
    const bot = await bots.load(botId);
    if (bot === null) return null;
    const history = await selectHistory(db, { deviceId, contactNumber });
    const step = await provider.step(
      {
        assistantRef: bot.assistantRef,
        revision: bot.revision,
        withdrawnDocumentRefs: bot.withdrawnDocumentRefs,
        messages: [
          ...history.map(({ direction, text: sent }) => ({
            role: direction === 'in' ? ('contact' as const) : ('assistant' as const),
            text: sent,
          })),
          { role: 'contact', text: instruction(text) },
        ],
      },
      signal,
    );
    if (step.kind !== 'answer' || !step.answered) return null;
    return (await chargeCredits(db, teamId, toMonth(clock.now()), creditCost)) ? step.text : null;
  };
}

const instruction = (text: string): string =>
  `[From the operator, not from the contact] Write the following message to this contact in your own words and in the language of the conversation, keeping every fact, name, number and link. Answer with the message alone.\n\n${text}`;
