import { deleteAnswersOfTeam } from '../../chat/answering/answers.sql.ts';
import { deleteConsentsOfTeam } from '../../chat/consents/consents.sql.ts';
import { deleteContactRowsOfTeam } from '../../chat/contacts/contacts.sql.ts';
import {
  deleteContactsOfTeam,
  deleteConversationsOfTeam,
} from '../../chat/conversations/conversations.sql.ts';
import { deleteMediaOfTeam } from '../../chat/messages/message-media.sql.ts';
import { deleteMessagesOfTeam } from '../../chat/messages/messages.sql.ts';
import type {
  AssistantProvider,
  OwnedObject,
} from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { deleteEventsOfTeam } from '../../records/events/events.sql.ts';
import type { ClaimedDeletion } from '../../records/external-deletions/external-deletions.sql.ts';
import { deleteModelCallsOfTeam } from '../../tenancy/usage/model-calls.sql.ts';

export interface ExternalSystems {
  db: Database;
  provider: Pick<AssistantProvider, 'deleteAssistant' | 'deleteKnowledge' | 'deleteDocument' | 'listOwned'>;
  fileStore: Pick<FileStore, 'delete'>;
}

/** Resolves to `deleted` once the deletion is confirmed, or to `partial` if there is more to delete. */
export type DeleteObject = (deletion: ClaimedDeletion, signal: AbortSignal) => Promise<'deleted' | 'partial'>;

const rowsPerBatch = 5_000;
/** Bounds one run of a large team's purge, so that it keeps its lease and does not delay other deletions. */
const batchesPerRun = 10;

/** Lists the provider's objects at most once per batch. */
export function createObjectDeleter(
  { db, provider, fileStore }: ExternalSystems,
  batch: readonly ClaimedDeletion[],
): DeleteObject {
  const taggedIds = new Set(batch.filter(({ kind }) => kind === 'tagged').map(({ ref }) => ref));
  let owned: Promise<OwnedObject[]> | undefined;

  return async ({ kind, ref }, signal) => {
    switch (kind) {
      case 'assistant':
        await provider.deleteAssistant(ref, signal);
        return 'deleted';
      case 'knowledge':
        await provider.deleteKnowledge(ref, signal);
        return 'deleted';
      case 'document':
        await provider.deleteDocument(ref, signal);
        return 'deleted';
      case 'file':
        await fileStore.delete(ref);
        return 'deleted';
      case 'tagged':
        owned ??= listOwnedObjects(provider, taggedIds, signal);
        for (const object of await owned) {
          if (object.tag.objectId === ref) await deleteOwnedObject(provider, object, signal);
        }
        return 'deleted';
      case 'team_rows':
        return purgeTeam(db, ref, signal);
      default:
        return kind satisfies never;
    }
  };
}

async function listOwnedObjects(
  provider: Pick<AssistantProvider, 'listOwned'>,
  objectIds: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<OwnedObject[]> {
  const found: OwnedObject[] = [];
  for await (const object of provider.listOwned(signal)) {
    if (objectIds.has(object.tag.objectId)) found.push(object);
  }
  return found;
}

function deleteOwnedObject(
  provider: ExternalSystems['provider'],
  { kind, ref }: OwnedObject,
  signal: AbortSignal,
): Promise<void> {
  if (kind === 'assistant') return provider.deleteAssistant(ref, signal);
  if (kind === 'knowledge') return provider.deleteKnowledge(ref, signal);
  return provider.deleteDocument(ref, signal);
}

async function purgeTeam(db: Database, teamId: string, signal: AbortSignal): Promise<'deleted' | 'partial'> {
  for (let batch = 0; batch < batchesPerRun; batch += 1) {
    if (signal.aborted) return 'partial';
    if ((await deleteTeamRows(db, teamId, rowsPerBatch)) === 0) return 'deleted';
  }
  return 'partial';
}

/** Ordered: media refer to messages. */
const deleteBulkRows = [
  deleteMediaOfTeam,
  deleteMessagesOfTeam,
  deleteConversationsOfTeam,
  deleteContactsOfTeam,
  deleteContactRowsOfTeam,
  deleteConsentsOfTeam,
  deleteAnswersOfTeam,
  deleteModelCallsOfTeam,
  deleteEventsOfTeam,
] as const;

async function deleteTeamRows(db: Database, teamId: string, limit: number): Promise<number> {
  for (const deleteRows of deleteBulkRows) {
    const deleted = await deleteRows(db, teamId, limit);
    if (deleted > 0) return deleted;
  }
  return 0;
}
