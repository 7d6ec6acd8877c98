import type { AssistantProvider, OwnedObject } from '../adapters/assistant-provider/assistant-provider.ts';
import type { FileStore } from '../adapters/file-store/file-store.ts';
import type { Database } from '../database/database.ts';
import { type ClaimedDeletion, deleteTeamRows } from './external-cleanup.queries.ts';

export interface ExternalSystems {
  db: Database;
  provider: Pick<AssistantProvider, 'deleteAssistant' | 'deleteKnowledge' | 'deleteDocument' | 'listOwned'>;
  fileStore: Pick<FileStore, 'delete'>;
}

/** Removes what one tombstone stands for; resolves when it is confirmed gone, or `partly` when more of it is left. */
export type DeleteObject = (tombstone: ClaimedDeletion, signal: AbortSignal) => Promise<'gone' | 'partly'>;

const bulkBatch = 5_000;
/** So that a large team's purge neither outlives its claim nor holds up the others. */
const batchesATurn = 10;

/** The removal of one round of tombstones: the provider is asked at most once what it has of all the tagged ones. */
export function createObjectDeleter(
  { db, provider, fileStore }: ExternalSystems,
  round: readonly ClaimedDeletion[],
): DeleteObject {
  const taggedIds = new Set(round.filter(({ kind }) => kind === 'tagged').map(({ ref }) => ref));
  let owned: Promise<OwnedObject[]> | undefined;

  return async ({ kind, ref }, signal) => {
    switch (kind) {
      case 'assistant':
        await provider.deleteAssistant(ref, signal);
        return 'gone';
      case 'knowledge':
        await provider.deleteKnowledge(ref, signal);
        return 'gone';
      case 'document':
        await provider.deleteDocument(ref, signal);
        return 'gone';
      case 'file':
        await fileStore.delete(ref);
        return 'gone';
      case 'tagged':
        owned ??= ownedBy(provider, taggedIds, signal);
        for (const object of await owned) {
          if (object.tag.objectId === ref) await removeOwned(provider, object, signal);
        }
        return 'gone';
      case 'team_rows':
        return purgeTeam(db, ref, signal);
      default:
        return kind satisfies never;
    }
  };
}

async function ownedBy(
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

function removeOwned(
  provider: ExternalSystems['provider'],
  { kind, ref }: OwnedObject,
  signal: AbortSignal,
): Promise<void> {
  if (kind === 'assistant') return provider.deleteAssistant(ref, signal);
  if (kind === 'knowledge') return provider.deleteKnowledge(ref, signal);
  return provider.deleteDocument(ref, signal);
}

async function purgeTeam(db: Database, teamId: string, signal: AbortSignal): Promise<'gone' | 'partly'> {
  for (let batch = 0; batch < batchesATurn; batch += 1) {
    if (signal.aborted) return 'partly';
    if ((await deleteTeamRows(db, teamId, bulkBatch)) === 0) return 'gone';
  }
  return 'partly';
}
