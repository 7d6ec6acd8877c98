import { type Exchange, selectExchange } from '../../chat/answering/exchanges.sql.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Case, Check } from './cases.schemas.ts';
import { maskPersonalData } from './mask.ts';

const longestPart = 1000;

/**
 * Returns what a case of the bot gets from a message: the conversation up to the question, without addresses and numbers of
 * people, and checks that the answer passed. Throws `message_not_found` (404), also for a message of another team than the bot's.
 */
export async function findAskedMessage(
  tx: Transaction,
  { scope }: Actor,
  bot: { id: string; team_id: string },
  messageId: string,
): Promise<Pick<Case, 'messages' | 'checks'>> {
  const ofTeam = { kind: 'team', teamId: bot.team_id } as const;
  const isVisible = scope.kind === 'all' || scope.teamId === bot.team_id;
  const found = isVisible ? await selectExchange(tx, ofTeam, messageId) : undefined;
  if (found === undefined || found.messages.at(-1)?.role !== 'contact') throw notFound('message');
  return {
    messages: found.messages.map(({ role, text }) => ({ role, text: maskPersonalData(text) })),
    checks: found.botId === bot.id ? checksOf(found) : [],
  };
}

/** An answer that was wrong is corrected before the case is saved, so the checks are only a beginning. */
function checksOf({ answered, trace }: Exchange): Check[] {
  if (trace === null || answered !== true) return [];
  const cited = trace.passages.flatMap(({ document_id }) => document_id ?? []);
  return [
    ...(trace.pair === null || trace.pair.question.length > longestPart
      ? []
      : [{ kind: 'cites_pair' as const, question: trace.pair.question }]),
    ...[...new Set(cited)]
      .slice(0, 1)
      .map((document_id) => ({ kind: 'cites_document' as const, document_id })),
    ...trace.actions.slice(0, 1).map(({ name }) => ({ kind: 'calls_action' as const, name })),
  ];
}
