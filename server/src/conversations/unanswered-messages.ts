import type { Transaction } from '../database/database.ts';
import { updateUnansweredToIgnored } from './unanswered-messages.queries.ts';

/**
 * Leaves what waits for the bot to a person. Whoever is making an answer to it loses the claim, and writes nothing. The
 * transaction must hold the conversation's row, so that it cannot wait for one that writes the answer.
 */
export const ignoreUnansweredMessages = (
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string },
): Promise<void> => updateUnansweredToIgnored(tx, chat);
