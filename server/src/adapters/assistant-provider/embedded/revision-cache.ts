import { createBatch } from '../../../shared/batch.ts';
import { type AssistantSpec, ProviderError } from '../assistant-provider.ts';
import { createToolIndex, type ToolIndex } from './actions.ts';
import { type Db, findAssistants, findRevision } from './embedded.queries.ts';
import type { Linguistics } from './query.ts';
import { createPairIndex, type PairIndex } from './question-pairs.ts';
import type { GiveWay } from './turns.ts';

/** A revision ready to answer. */
export interface LoadedRevision {
  spec: AssistantSpec;
  teamId: string;
  pairs: PairIndex;
  tools: ToolIndex;
}

export interface RevisionCache {
  /** Rejects with `not_found`. */
  get(assistantRef: string, revision: string): Promise<LoadedRevision>;
}

interface Preparing extends Linguistics {
  db: Db;
  installationId: string;
  giveWay: GiveWay;
}

/** Revisions kept in memory, the longest unused leaving first. */
const KEPT = 100;

/** Revisions never change, so what was loaded once stays true as long as its assistant exists. */
export function createRevisionCache(preparing: Preparing): RevisionCache {
  const { db, installationId } = preparing;
  const kept = new Map<string, LoadedRevision>();
  const loading = new Map<string, Promise<LoadedRevision>>();
  /** Questions that are asked together look together whether their assistants are still there. */
  const standing = createBatch<string, boolean>({
    waitMs: 0,
    maxItems: 100,
    run: async (refs) => {
      const found = await findAssistants(db, installationId, [...new Set(refs)]);
      return refs.map((ref) => found.has(ref));
    },
  });
  /** Once for all that ask for it meanwhile: many pairs take a while. */
  const load = (key: string, assistantRef: string, revision: string): Promise<LoadedRevision> => {
    const underWay = loading.get(key) ?? prepared(preparing, assistantRef, revision);
    loading.set(key, underWay);
    return underWay.finally(() => loading.delete(key));
  };
  return {
    async get(assistantRef, revision) {
      const key = `${assistantRef}/${revision}`;
      const known = kept.get(key);
      const loaded =
        known !== undefined && (await standing.add(assistantRef))
          ? known
          : await load(key, assistantRef, revision);
      kept.delete(key);
      kept.set(key, loaded);
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT) break;
        kept.delete(oldest);
      }
      return loaded;
    },
  };
}

async function prepared(
  { db, installationId, giveWay, ...linguistics }: Preparing,
  assistantRef: string,
  revision: string,
): Promise<LoadedRevision> {
  const stored = await findRevision(db, installationId, assistantRef, revision);
  if (stored === null)
    throw new ProviderError('not_found', `Assistant ${assistantRef} has no revision ${revision}`);
  return {
    ...stored,
    pairs: await createPairIndex(linguistics, stored.spec.questions, giveWay),
    tools: createToolIndex(linguistics, stored.spec.tools),
  };
}
