import type { BotDetail, BotVersionDetail } from '@parley/sdk';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { isSame } from '../../lib/edits.ts';
import { toDraft } from '../bots/bot-draft.ts';
import { versionToDraft } from '../bots/differences.ts';
import { isSameQuestion } from './suggest-pair.ts';

/** The draft as the dialog finds it. Each dialog reads it again. */
export const draftToImproveQuery = (botId: string | undefined) =>
  queryOptions({
    queryKey: ['improve', botId],
    queryFn:
      botId === undefined
        ? skipToken
        : async ({ signal }): Promise<{ bot: BotDetail; live: BotVersionDetail | null }> => {
            const bot = await api.getBot({ id: botId }, { signal });
            if (bot.published) return { bot, live: null };
            const { data } = await api.listBotVersions({ id: botId, limit: 100 }, { signal });
            const version = data.find(({ live }) => live)?.version;
            if (version === undefined) return { bot, live: null };
            return {
              bot,
              live: await api.getBotVersion({ id: botId, version: String(version) }, { signal }),
            };
          },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Whether publishing the draft changes more than pairs with these questions. */
export function hasOtherChanges(
  { bot, live }: { bot: BotDetail; live: BotVersionDetail | null },
  questions: readonly string[],
): boolean {
  if (bot.published) return false;
  if (live === null) return true;
  const [draft, published] = [toDraft(bot), versionToDraft(live)].map((content) => ({
    ...content,
    questions: content.questions.filter(
      ({ question }) => !questions.some((other) => isSameQuestion(question, other)),
    ),
  }));
  return draft === undefined || published === undefined || !isSame(draft, published);
}
