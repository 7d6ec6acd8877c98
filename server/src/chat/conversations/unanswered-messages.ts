import type { Transaction } from '../../platform/database/database.ts';
import type { IgnoredBecause } from '../messages/messages.sql.ts';
import { updateUnansweredToIgnored } from './unanswered-messages.queries.ts';

/** A worker that is answering them loses its claim. The transaction must hold the conversation lock to avoid a deadlock. */
export const ignoreUnansweredMessages = (
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string },
  because: IgnoredBecause = 'paused',
): Promise<void> => updateUnansweredToIgnored(tx, chat, because);
