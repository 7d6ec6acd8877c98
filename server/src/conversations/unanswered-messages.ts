import type { Transaction } from '../database/database.ts';
import { updateUnansweredToIgnored } from './unanswered-messages.queries.ts';

/**
 * Marks the unanswered messages of a conversation as ignored. A worker that is answering them loses its claim and writes
 * nothing. The transaction must hold the conversation's row lock, or it could wait for the one that writes the answer.
 */
export const ignoreUnansweredMessages = (
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string },
): Promise<void> => updateUnansweredToIgnored(tx, chat);
