import type { Transaction } from '../../platform/database/database.ts';
import type { IgnoredBecause } from '../messages/messages.sql.ts';
import { lockConversationsWith, updateUnansweredToIgnored } from './unanswered-messages.queries.ts';

/** For all conversations with the contact, under each of its forms. */
export async function ignoreMessagesOfContact(
  tx: Transaction,
  teamId: string,
  forms: readonly string[],
): Promise<void> {
  for (const chat of await lockConversationsWith(tx, teamId, forms))
    await ignoreUnansweredMessages(tx, chat, 'contact_blocked');
}

/** A worker that is answering them loses its claim. The transaction must hold the conversation lock to avoid a deadlock. */
export const ignoreUnansweredMessages = (
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string },
  because: IgnoredBecause = 'paused',
): Promise<void> => updateUnansweredToIgnored(tx, chat, because);
