import type { Transaction } from '../database/database.ts';
import { markWaitingIgnored } from './waiting.queries.ts';

/**
 * Leaves what waits for the bot to a person. Whoever is making an answer to it loses the claim, and writes nothing. The
 * transaction must hold the conversation's row, so that it cannot wait for one that writes the answer.
 */
export const ignoreWaiting = (
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string },
): Promise<void> => markWaitingIgnored(tx, chat);
