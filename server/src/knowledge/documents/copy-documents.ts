import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import type { Extractor } from './extraction/extractor.ts';
import { finalKey } from './file-keys.ts';
import { type MovingDocument, selectMovingDocuments, storeNextRef } from './moves.sql.ts';

export interface CopyDependencies {
  db: Database;
  fileStore: Pick<FileStore, 'get' | 'put'>;
  extractor: Pick<Extractor, 'extract'>;
}

type Target = Pick<AssistantProvider, 'putDocument' | 'documentStatus'>;

export interface CopiedDocument {
  id: string;
  ref: string;
  status: 'ready' | 'failed';
}

const putTimeoutMs = 5 * 60_000;
const indexingTimeoutMs = 60 * 60_000;
const pollMs = 1000;

/** Copies the team's documents to another provider. A repeated call copies only those without a stored copy. */
export async function copyDocuments(
  deps: CopyDependencies,
  target: Target,
  move: { id: string; teamId: string },
  signal: AbortSignal,
): Promise<CopiedDocument[]> {
  const copies: { id: string; ref: string }[] = [];
  for (const document of await selectMovingDocuments(deps.db, move.teamId)) {
    signal.throwIfAborted();
    const ref = document.nextRef ?? (await copyDocument(deps, target, move, document, signal));
    copies.push({ id: document.id, ref });
  }
  return withDeadline(
    indexingTimeoutMs,
    async (deadline) => {
      const copied: CopiedDocument[] = [];
      for (const copy of copies)
        copied.push({ ...copy, status: await untilIndexed(target, copy.ref, deadline) });
      return copied;
    },
    signal,
  );
}

async function copyDocument(
  { db, fileStore, extractor }: CopyDependencies,
  target: Target,
  move: { id: string; teamId: string },
  { id, name, type, fileKey }: MovingDocument,
  signal: AbortSignal,
): Promise<string> {
  const { teamId } = move;
  const bytes = await fileStore.get(fileKey);
  if (bytes === null) throw new Error(`The file of the document ${id} is missing from the store`);
  const { sections } = await extractor.extract(
    { type, bytes },
    { teamId, maxWaitMs: putTimeoutMs, deadlineMs: putTimeoutMs, signal },
  );
  const tag = { teamId, objectId: id, operation: `move ${move.id} ${id}` };
  const { ref } = await withDeadline(
    putTimeoutMs,
    (deadline) => target.putDocument(tag, { name, type, bytes, sections }, deadline),
    signal,
  );
  await fileStore.put(finalKey(teamId, ref, type), bytes);
  await storeNextRef(db, id, ref);
  return ref;
}

async function untilIndexed(target: Target, ref: string, signal: AbortSignal): Promise<'ready' | 'failed'> {
  for (;;) {
    const status = await target.documentStatus(ref, signal);
    if (status !== 'processing') return status;
    await delay(pollMs, undefined, { signal });
  }
}
