import { deleteAnswersOfTeam } from '../answering/answers.sql.ts';
import { deleteContactsOfTeam, deleteConversationsOfTeam } from '../conversations/conversations.sql.ts';
import type { Database } from '../database/database.ts';
import { deleteEventsOfTeam } from '../events/events.sql.ts';
import { deleteMediaOfTeam, deleteMessagesOfTeam } from '../messages/messages.sql.ts';
import { deleteModelCallsOfTeam } from '../usage/model-calls.sql.ts';

/** Ordered: media refer to messages. */
const deleteBulkRows = [
  deleteMediaOfTeam,
  deleteMessagesOfTeam,
  deleteConversationsOfTeam,
  deleteContactsOfTeam,
  deleteAnswersOfTeam,
  deleteModelCallsOfTeam,
  deleteEventsOfTeam,
] as const;

export async function deleteTeamRows(db: Database, teamId: string, limit: number): Promise<number> {
  for (const deleteRows of deleteBulkRows) {
    const deleted = await deleteRows(db, teamId, limit);
    if (deleted > 0) return deleted;
  }
  return 0;
}
