import { deleteAnswersOfTeam } from '../../chat/answering/answers.sql.ts';
import {
  deleteContactsOfTeam,
  deleteConversationsOfTeam,
} from '../../chat/conversations/conversations.sql.ts';
import { deleteMediaOfTeam, deleteMessagesOfTeam } from '../../chat/messages/messages.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import { deleteEventsOfTeam } from '../../records/events/events.sql.ts';
import { deleteModelCallsOfTeam } from '../../tenancy/usage/model-calls.sql.ts';

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
